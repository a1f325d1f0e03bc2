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
from crivo.core.predictions import build_predictions
from crivo.core.registry import make_block
from crivo.evaluation.predicting import predict
from crivo.modelfile.canonical import load_model


def table_of(
    estimator: Any, rows: pd.DataFrame, inputs: pd.DataFrame, **clusters: Any
) -> pd.DataFrame:
    schema = artifacts.read_schema()
    settings = EvaluateSettings(**clusters)
    return build_predictions(rows, schema, *predict(estimator, inputs, schema), settings)


def judge(table: pd.DataFrame, baseline: pd.DataFrame) -> Evaluation:
    params = read_params()
    context = Context.of(artifacts.read_schema(), baseline, params.seed)
    return params.block("evaluator").evaluate(table, context)


def fit(name: str, settings: dict[str, Any], inputs: pd.DataFrame, target: pd.Series) -> Any:
    model = make_block("model", name, settings)
    training = Training(np.zeros(len(target), bool), lambda metrics: None)
    return model.fit(model.build("binary", read_params().seed), inputs, target, training)


def by_days_and_by_rows() -> Iterator[list[str]]:
    """Give the interval of ROC AUC when days belong together, and when rows stand alone."""
    rows = artifacts.read_table(artifacts.prepared("valid"))
    inputs = artifacts.read_table(artifacts.features("valid"))
    model, baseline = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
    ways = {"blocks of five days": {"cluster": "date", "block": 5}, "rows": {}}
    for name, clusters in ways.items():
        table, prior = (table_of(m, rows, inputs, **clusters) for m in (model, baseline))
        row = judge(table, prior).metrics.loc["roc_auc"]
        ends = f"[{row['low']:.3f}, {row['high']:.3f}]"
        yield [name, f"{row['value']:.3f}", f"{row['se']:.4f}", ends]


def random_and_by_time() -> Iterator[list[str]]:
    """Give what a model that knows the day of the year scores on two kinds of split."""
    schema = artifacts.read_schema()
    splits = [artifacts.read_table(artifacts.prepared(split)) for split in ("train", "valid")]
    rows = pd.concat(splits, ignore_index=True)
    inputs = pd.DataFrame(
        {
            "day_of_year": rows["time"].dt.day_of_year,
            "hour": rows["departure_hour"],
            "distance": rows["distance"],
            "carrier": rows["carrier"].astype("category"),
            "origin": rows["origin"].astype("category"),
        }
    )
    later = np.arange(len(rows)) >= len(splits[0])
    rng = np.random.default_rng(read_params().seed)
    shuffled = rng.random(len(rows)) < later.mean()
    settings = {"max_iter": 500, "max_leaf_nodes": 255}
    for name, held_out in (("at random", shuffled), ("by time", later)):
        target = rows.loc[~held_out, schema.target]
        model = fit("boosting", settings, inputs[~held_out], target)
        prior = fit("prior", {}, inputs[~held_out], target)
        tables = [
            table_of(m, rows[held_out], inputs[held_out], cluster="date", block=5)
            for m in (model, prior)
        ]
        found = judge(*tables)
        auc, loss = found.metrics.loc["roc_auc"], found.metrics.loc["log_loss"]
        base = found.baseline.loc["log_loss", "value"]
        shown = f"{auc['value']:.3f} [{auc['low']:.3f}, {auc['high']:.3f}]"
        yield [name, shown, f"{loss['value']:.3f}", f"{base:.3f}"]


CANDIDATES: dict[str, tuple[str, dict[str, Any]]] = {
    "boosting, learning rate 0.05": ("boosting", {"learning_rate": 0.05}),
    "boosting, 31 → 25 leaves": ("boosting", {"max_leaf_nodes": 25}),
    "forest": ("forest", {}),
    "linear": ("linear", {}),
}


def candidates() -> Iterator[list[str]]:
    """Give the difference of each candidate from the pipeline's own model, same rows."""
    schema = artifacts.read_schema()
    rows = artifacts.read_table(artifacts.prepared("valid"))
    train, valid = (artifacts.read_table(artifacts.features(s)) for s in ("train", "valid"))
    target = artifacts.read_table(artifacts.prepared("train"), [schema.target])[schema.target]
    days = {"cluster": "date", "block": 5}
    usual = table_of(load_model(artifacts.MODEL), rows, valid, **days)
    params = read_params()
    for name, (model, changes) in CANDIDATES.items():
        settings = (params.models[model] or {}) | changes
        table = table_of(fit(model, settings, train, target), rows, valid, **days)
        found = judge(table, usual)
        for metric in ("roc_auc", "log_loss"):
            value = found.metrics.loc[metric, "value"]
            row = found.against_baseline.loc[metric]
            ends = f"[{row['low']:+.4f}, {row['high']:+.4f}]"
            shown = f"{row['difference']:+.4f} {ends}"
            yield [name, metric, f"{value:.4f}", shown, str(row["verdict"])]


CLUSTERS = ("independent units", "ROC AUC", "standard error", "95 % interval")
SPLITS = ("split", "ROC AUC", "log loss", "prior's log loss")
DIFFERENCES = ("candidate", "metric", "value", "difference", "verdict")
PARTS = {
    "clusters": lambda _: table(CLUSTERS, by_days_and_by_rows()),
    "splits": lambda _: table(SPLITS, random_and_by_time()),
    "candidates": lambda _: table(DIFFERENCES, candidates()),
}

if __name__ == "__main__":
    main(__doc__, None, PARTS, "why.md")
