"""The numbers that say why crivo exists, from its own default data.

Run in the project's folder after `dvc repro`: `python benchmarks/why.py --publish`. Everything is
evaluated on validation rows; the test rows stay closed. The tables go to docs/why.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from simulated import main, table

from crivo.core import artifacts
from crivo.core.blocks import Context, Evaluation, Training
from crivo.core.params import EvaluateSettings, read_params
from crivo.core.registry import make_block
from crivo.evaluation.predicting import Predicting
from crivo.modelfile.canonical import load_model

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


def fit(name: str, settings: dict[str, Any], inputs: pd.DataFrame, target: pd.Series) -> Any:
    """Return a model of a block, fitted."""
    model = make_block("model", name, settings)
    training = Training(np.zeros(len(target), bool), lambda metrics: None)
    return model.fit(model.build("binary", PARAMS.seed), inputs, target, training)


def by_days_and_by_rows() -> Iterator[list[str]]:
    """Give the interval of ROC AUC when days belong together, and when rows stand alone."""
    models = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
    for name, settings in {"blocks of five days": BY_DAYS, "rows": BY_ROW}.items():
        tables = Predicting(SCHEMA, settings).tables(models, ROWS["valid"], INPUTS["valid"])
        row = judge(*tables).metrics.loc["roc_auc"]
        ends = f"[{row['low']:.3f}, {row['high']:.3f}]"
        yield [name, f"{row['value']:.3f}", f"{row['se']:.4f}", ends]


def random_and_by_time() -> Iterator[list[str]]:
    """Give what a model that knows the day of the year scores on two kinds of split."""
    rows = pd.concat(ROWS.values(), ignore_index=True)
    inputs = pd.DataFrame(
        {
            "day_of_year": rows["time"].dt.day_of_year,
            "hour": rows["departure_hour"],
            "distance": rows["distance"],
            "carrier": rows["carrier"].astype("category"),
            "origin": rows["origin"].astype("category"),
        }
    )
    later = np.arange(len(rows)) >= len(ROWS["train"])
    shuffled = np.random.default_rng(PARAMS.seed).random(len(rows)) < later.mean()
    settings = {"max_iter": 500, "max_leaf_nodes": 255}
    for name, held_out in (("at random", shuffled), ("by time", later)):
        taught = inputs[~held_out], rows.loc[~held_out, SCHEMA.target]
        models = fit("boosting", settings, *taught), fit("prior", {}, *taught)
        found = judge(*Predicting(SCHEMA, BY_DAYS).tables(models, rows[held_out], inputs[held_out]))
        auc, loss = found.metrics.loc["roc_auc"], found.metrics.loc["log_loss"]
        base = found.baseline.loc["log_loss", "value"]
        shown = f"{auc['value']:.3f} [{auc['low']:.3f}, {auc['high']:.3f}]"
        yield [name, shown, f"{loss['value']:.3f}", f"{base:.3f}"]


CLUSTERS = ("independent units", "ROC AUC", "standard error", "95 % interval")
SPLITS = ("split", "ROC AUC", "log loss", "prior's log loss")
PARTS = {
    "clusters": lambda _: table(CLUSTERS, by_days_and_by_rows()),
    "splits": lambda _: table(SPLITS, random_and_by_time()),
}

if __name__ == "__main__":
    main(__doc__, None, PARTS, "why.md")
