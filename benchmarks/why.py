"""The numbers that say why crivo exists, from its own default data.

Run in the project's folder after `dvc repro`: `python benchmarks/why.py --publish`. Everything is
evaluated on validation rows; the test rows stay closed. The tables go to docs/why.md.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata
from simulated import main, table

from crivo.core import artifacts
from crivo.core.blocks import Context, Evaluation
from crivo.core.params import EvaluateSettings, read_params
from crivo.core.registry import make_block
from crivo.evaluation.predicting import Predicting
from crivo.modelfile.canonical import load_model
from crivo.training.fit import fit_model

PARAMS, SCHEMA = read_params(), artifacts.read_schema()
BY_ROW, BY_DAYS = EvaluateSettings(), EvaluateSettings(cluster="date", block=5)
# The prepared rows and their features, by split.
ROWS, INPUTS = (
    {split: artifacts.read_table(path(split)) for split in ("train", "valid")}
    for path in (artifacts.prepared, artifacts.features)
)


def judge(model: pd.DataFrame, baseline: pd.DataFrame) -> Evaluation:
    """Return the evaluation of a predictions table beside another."""
    context = Context.of(SCHEMA, baseline, PARAMS.seed)
    return PARAMS.block("evaluator").evaluate(model, context)


def delong(happened: pd.Series, score: pd.Series) -> tuple[float, float]:
    """Return ROC AUC and its standard error by DeLong et al. (1988), for independent rows.

    Each row has the share of rows of the other class that it is ranked rightly against.
    """
    above = rankdata(score) - score.groupby(happened).transform(rankdata)
    shares = above / happened.map((~happened).value_counts())
    found = shares.where(happened, 1 - shares).groupby(happened).agg(["mean", "var", "size"])
    return found["mean"].iloc[0], float(np.sqrt((found["var"] / found["size"]).sum()))


def by_days_and_by_rows() -> Iterator[list[str]]:
    """Give the interval of ROC AUC when days belong together, and when rows stand alone."""
    models = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
    for name, settings in {"blocks of five days": BY_DAYS, "rows": BY_ROW}.items():
        tables = Predicting(SCHEMA, settings).tables(models, ROWS["valid"], INPUTS["valid"])
        row = judge(*tables).metrics.loc["roc_auc"]
        ends = f"[{row['low']:.3f}, {row['high']:.3f}]"
        yield [name, f"{row['value']:.3f}", f"{row['se']:.4f}", ends]
    area, error = delong(tables[0]["target"], tables[0]["score"])
    low, high = norm.interval(0.95, area, error)
    yield ["rows, by DeLong's method", f"{area:.3f}", f"{error:.4f}", f"[{low:.3f}, {high:.3f}]"]


def random_and_by_time() -> Iterator[list[str]]:
    """Give what a model that knows the day of the year scores on two kinds of split."""
    rows = pd.concat(ROWS.values(), ignore_index=True)
    inputs = rows[["departure_hour", "distance", "carrier", "origin"]]
    inputs = inputs.astype({"carrier": "category", "origin": "category"})
    inputs.insert(0, "day_of_year", rows["time"].dt.day_of_year)
    later = np.arange(len(rows)) >= len(ROWS["train"])
    shuffled = np.random.default_rng(PARAMS.seed).random(len(rows)) < later.mean()
    settings = {"max_iter": 500, "max_leaf_nodes": 255}
    for name, held_out in (("at random", shuffled), ("by time", later)):
        taught = SCHEMA, rows[~held_out], inputs[~held_out], PARAMS.train, PARAMS.seed
        blocks = make_block("model", "boosting", settings), make_block("model", "prior", {})
        models = fit_model(blocks[0], *taught), fit_model(blocks[1], *taught)
        found = judge(*Predicting(SCHEMA, BY_DAYS).tables(models, rows[held_out], inputs[held_out]))
        auc, loss = found.metrics.loc["roc_auc"], found.metrics.loc["log_loss"]
        base = found.baseline.loc["log_loss", "value"]
        shown = f"{auc['value']:.3f} [{auc['low']:.3f}, {auc['high']:.3f}]"
        yield [name, shown, f"{loss['value']:.3f}", f"{base:.3f}"]


CLUSTERS = ("independent units", "ROC AUC", "standard error", "95 % interval")
SPLITS = ("split", "ROC AUC", "log loss", "prior's log loss")
PARTS = {
    "clusters": lambda _: table(CLUSTERS, by_days_and_by_rows(), range(4)),
    "splits": lambda _: table(SPLITS, random_and_by_time(), range(4)),
}

if __name__ == "__main__":
    main(__doc__, None, PARTS, "why.md")
