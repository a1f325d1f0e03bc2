"""The fitted models of `benchmarks/alarms.py`: what checks of results say, and what fresh rows do.

R002, R003 and R005 on honest tables, and R012: what it costs to leave idle features out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from alarms_worlds import Table, honest
from sklearn.datasets import make_regression
from sklearn.metrics import root_mean_squared_error

from crivo.core.blocks import Context
from crivo.core.findings import Finding
from crivo.core.params import TrainSettings
from crivo.core.registry import make_block
from crivo.evaluation.assess import assess, intervals_table, short_metrics
from crivo.evaluation.inspection import permutation_importance
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.result_checks import RESULT_CHECKS, Results, shares_of_baseline
from crivo.training.fit import fit_model
from crivo.training.tracking import training_losses

KINDS = ("3 fine columns", "25 fine columns", "4 coarse columns", "classes, fares and ages")
# What is fitted, by its name on the page; {} stands for the kind of estimator that a task needs.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "boosting": ("boosting", {"max_iter": 100}),
    "forest": ("forest", {}),
    "linear": ("linear", {}),
    "a forest of fully grown trees": ("ensemble.RandomForest{}", {"n_estimators": 50}),
    "a fully grown tree": ("tree.DecisionTree{}", {}),
    "the nearest neighbour": ("neighbors.KNeighbors{}", {"n_neighbors": 1}),
}
# Rows of the same kind that nobody has, to know the truth by.
FRESH = 4_000


def result_alarms(tables: int, first: int) -> pd.DataFrame:
    """Return a row for each fitted model: what rang, and what fresh rows say."""
    warnings.simplefilter("ignore")
    seeds = range(first, first + tables)
    made = [honest(np.random.default_rng(seed), KINDS, sizes=4, fresh=FRESH) for seed in seeds]
    return pd.DataFrame(
        [{"model": name, **judged(table, name)} for table in made for name in MODELS]
    )


def inputs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what a model sees: numbers, and names as numbers."""
    named = rows.drop(columns=["key", "y"]).replace({"f": "0", "m": "1"})
    return named.apply(pd.to_numeric, errors="coerce").astype(float).fillna(-1.0)


def judged(table: Table, name: str) -> dict[str, Any]:
    """Return which checks a model of the training rows sets off, and whether fresh rows agree."""
    block, settings = MODELS[name]
    if "{}" in block:
        estimator = block.format("Regressor" if table.task == "regression" else "Classifier")
        settings = {"estimator": f"sklearn.{estimator}", "settings": settings, "encode": False}
        block = "sklearn"
    train = table.split("train")
    blocks = make_block("model", block, settings), make_block("model", "prior", {})
    taught = table.schema, train, inputs(train), TrainSettings(), 0
    models = fit_model(blocks[0], *taught), fit_model(blocks[1], *taught)
    losses = ([*training_losses(one, inputs(train), train["y"])][-1][1] for one in models)
    training = dict(zip(("train_loss", "baseline_train_loss"), losses, strict=True))
    valid, fresh = (evaluated(table, split, models, training) for split in ("valid", "fresh"))
    told, true = (
        [one for one in RESULT_CHECKS.review(results) if isinstance(one, Finding)]
        for results in (valid, fresh)
    )
    rang = {one.code for one in told}
    _, held_out, drawn_in = shares_of_baseline(fresh) or (0.0, 0.0, 0.0)
    return {
        "R003": "R003" in rang,
        "harm": held_out - drawn_in,
        "R002": any(
            (fresh.metrics[name] < fresh.metrics[f"baseline_{name}"])
            == (metrics_of(table.task)[name].direction == "lower")
            for name in (one.subject for one in told if one.code == "R002")
        ),
        "R005": "R005" in rang - {one.code for one in true},
    }


def evaluated(
    table: Table, split: str, models: tuple[Any, Any], training: dict[str, float]
) -> Results:
    """Return the results of a model and its baseline on a split."""
    rows = table.split(split)
    predictions, trivial = Predicting(table.schema).tables(models, rows, inputs(rows))
    context = Context.of(table.schema, baseline=trivial)
    evaluation = make_block("evaluator", "standard", {}).evaluate(predictions, context)
    metrics = short_metrics(evaluation)
    return Results(predictions, context, intervals_table(evaluation), metrics, training)


# --- features that add nothing ----------------------------------------------------------------

# Rows of each part, and features: those of Ames.
PARTS = {"train": 1_300, "valid": 600, "fresh": 6_000}
WIDTH = 79
# What doesn't matter, as R012 has it: this part of what the model gains over the mean.
MARGIN = 0.02
# How many features matter, and of how many hidden ones they mostly consist.
FEATURES: dict[str, dict[str, int]] = {
    "few features matter": {"n_informative": 10, "effective_rank": 12},
    "most features matter a little": {"n_informative": WIDTH, "effective_rank": 12},
    "ten features matter, the others are noise": {"n_informative": 10},
}


def like_ames(kind: str, seed: int) -> Table:
    """Return features of which a third has few levels, and a skewed target."""
    count = sum(PARTS.values())
    x, known = make_regression(count, WIDTH, **FEATURES[kind], random_state=seed)
    for column in range(0, WIDTH, 3):
        x[:, column] = np.digitize(x[:, column], np.quantile(x[:, column], [0.5, 0.8, 0.95]))
    noise = np.random.default_rng(seed).normal(scale=0.35, size=count)
    rows = pd.DataFrame(x).add_prefix("x").assign(y=np.exp(0.4 * (known / known.std() + noise)))
    return Table(rows, "regression", np.repeat([*PARTS], [*PARTS.values()]))


def advised(kind: str, seed: int) -> tuple[int, bool, float]:
    """Return how many features are idle, whether a fit shows it, and the cost in % of the RMSE."""
    table = like_ames(kind, seed)
    train, valid, fresh = (table.split(name) for name in PARTS)
    features, predicting = [*table.schema.features], Predicting(table.schema)

    def fit(names: list[str]) -> Any:
        block = make_block("model", "boosting", {"max_iter": 250, "learning_rate": 0.05})
        return fit_model(block, table.schema, train, train[names], TrainSettings(), 0)

    model = fit(features)
    found = permutation_importance(model, valid[features], valid["y"], 0, predicting.groups(valid))
    idle = set(found["feature"][found["idle"]])
    if not idle:
        return 0, False, 0.0
    kept = [name for name in features if name not in idle]
    small = fit(kept)
    own = predicting.table(model, valid, valid[features])
    other = predicting.table(small, valid, valid[kept])
    context = Context.of(table.schema, baseline=own)
    against = assess(other, context, [metrics_of("regression")["rmse"]]).against_baseline.iloc[0]
    gain = float(valid["y"].std()) - root_mean_squared_error(own["target"], own["prediction"])
    before, after = (
        root_mean_squared_error(fresh["y"], one.predict(fresh[names]))
        for one, names in ((model, features), (small, kept))
    )
    return len(idle), bool(against["high"] < MARGIN * gain), 100 * (after / before - 1)


def advice_rows(tables: int, first: int) -> Iterator[list[str]]:
    """Yield a line for each kind of table."""
    for kind in FEATURES:
        found = [advised(kind, seed) for seed in range(first, first + tables)]
        idle, shown, costs = (np.array(each) for each in zip(*found, strict=True))
        told = costs[shown]
        worst = f"{costs[idle > 0].max():+.1f}" if idle.any() else "–"
        theirs = [f"{told.mean():+.1f}", f"{told.max():+.1f}"] if shown.any() else ["–", "–"]
        yield [kind, f"{tables}", f"{idle.mean():.0f} of {WIDTH}", worst, f"{shown.sum()}", *theirs]
