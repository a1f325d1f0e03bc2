"""The results of `benchmarks/alarms.py`: models fitted on honest tables, and what rings then."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from alarms_worlds import TASKS, Table, honest
from sklearn.metrics import r2_score, roc_auc_score

from crivo.core.blocks import Context, Training
from crivo.core.findings import Finding
from crivo.core.registry import make_block
from crivo.evaluation.assess import intervals_table, short_metrics
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.result_checks import RESULT_CHECKS, Results, shares_of_baseline
from crivo.training.tracking import training_losses

KINDS = ("3 fine columns", "25 fine columns", "4 coarse columns", "classes, fares and ages")
SIZES = (200, 500, 1_000, 2_000)
# What is fitted, by its name on the page; {} stands for the kind of estimator that a task needs.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "boosting": ("boosting", {"max_iter": 100}),
    "forest": ("forest", {}),
    "linear": ("linear", {}),
    "a forest without a limit": ("ensemble.RandomForest{}", {"n_estimators": 50}),
    "a tree without a limit": ("tree.DecisionTree{}", {}),
    "the nearest neighbour": ("neighbors.KNeighbors{}", {"n_neighbors": 1}),
}
# Rows of the same kind that nobody has, to know the truth by.
FRESH = 4_000
# Results less perfect than this are honest.
AREA, R2 = 0.97, 0.99


def result_alarms(tables: int, first: int) -> pd.DataFrame:
    """Return a row for each fitted model: what rang, and what fresh rows say."""
    warnings.simplefilter("ignore")
    found = []
    for seed in range(first, first + tables):
        random = np.random.default_rng(seed)
        table = drawn(random)
        if table is not None:
            found += [{"model": name, **judged(table, fitted(table, name))} for name in MODELS]
    return pd.DataFrame(found)


def drawn(random: np.random.Generator) -> Table | None:
    """Return an honest table with fresh rows; None when a split has too few rows of a class."""
    count, task = int(random.choice(SIZES)), random.choice(TASKS)
    strength, rare = float(random.choice([0.5, 1, 2, 4])), float(random.choice([0.1, 0.3, 0.5]))
    kind = str(random.choice(KINDS))
    table = honest(kind, task, random, count=count + FRESH, strength=strength, rare=rare)
    splits = np.where(np.arange(count + FRESH) < count, table.splits, "fresh")
    table = replace(table, splits=splits)
    parts = [table.split(name)["y"].value_counts() for name in ("train", "valid")]
    if task != "regression" and any(len(p) < len(parts[0]) or p.min() < 3 for p in parts):
        return None
    return table


def fitted(table: Table, name: str) -> Any:
    """Return a model that was fitted on the training rows."""
    rows, (block, settings) = table.split("train"), MODELS[name]
    if "{}" in block:
        estimator = block.format("Regressor" if table.task == "regression" else "Classifier")
        settings = {"estimator": f"sklearn.{estimator}", "settings": settings, "encode": False}
        block = "sklearn"
    model = make_block("model", block, settings)
    watched = np.random.default_rng(0).random(len(rows)) < 0.1
    training = Training(watched, lambda metrics: None)
    return model.fit(model.build(table.task, 0), inputs(rows), rows["y"], training)


def inputs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what a model sees: numbers, and names as numbers."""
    named = rows.drop(columns=["key", "y"]).replace({"f": "0", "m": "1"})
    return named.apply(pd.to_numeric, errors="coerce").astype(float).fillna(-1.0)


def judged(table: Table, model: Any) -> dict[str, Any]:
    """Return which checks rang, and whether fresh rows agree."""
    train = table.split("train")
    block = make_block("model", "prior", {})
    baseline = block.build(table.task, 0).fit(inputs(train), train["y"])
    losses = [
        list(training_losses(one, inputs(train), train["y"]))[-1][1] for one in (model, baseline)
    ]
    training = dict(zip(("train_loss", "baseline_train_loss"), losses, strict=True))
    doubts = evaluated(table, "valid", (model, baseline), training)[1]
    fresh = evaluated(table, "fresh", (model, baseline), training)[0]
    _, held_out, drawn_in = shares_of_baseline(fresh) or (0.0, 0.0, 0.0)
    rang = {one.code for one in doubts}
    worse = [one.subject for one in doubts if one.code == "R002"]
    return {
        "R003": "R003" in rang,
        "harm": held_out - drawn_in,
        "R002": any(better(fresh, name) for name in worse),
        "R005": "R005" in rang
        and quality(fresh.predictions, fresh.scores) < (AREA if fresh.scores else R2),
    }


def evaluated(
    table: Table, split: str, both: tuple[Any, Any], training: dict[str, float]
) -> tuple[Results, list[Any]]:
    """Return the results on a split, and what the checks find."""
    rows, schema = table.split(split), table.schema
    predictions, trivial = Predicting(schema).tables(both, rows, inputs(rows))
    evaluator = make_block("evaluator", "standard", {})
    context = Context.of(schema, baseline=trivial)
    evaluation = evaluator.evaluate(predictions, context)
    metrics = short_metrics(evaluation)
    results = Results(predictions, context, intervals_table(evaluation), metrics, training)
    checked = RESULT_CHECKS.review(results)
    return results, [one for one in checked if isinstance(one, Finding)]


def better(results: Results, name: str) -> bool:
    """Return whether a metric is better than the baseline's."""
    difference = results.metrics[name] - results.metrics[f"baseline_{name}"]
    lower = metrics_of(results.context.task)[name].direction == "lower"
    return bool(difference < 0 if lower else difference > 0)


def quality(table: pd.DataFrame, scores: list[str]) -> float:
    """Return ROC AUC, of one class against the others on average, or R²."""
    if not scores:
        return float(r2_score(table["target"], table["prediction"]))
    given = table["score"] if scores == ["score"] else table[scores]
    return float(roc_auc_score(table["target"], given, multi_class="ovr", average="weighted"))
