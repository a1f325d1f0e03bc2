"""R012 in `benchmarks/alarms.py`: what it costs on fresh rows to leave idle features out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from alarms_worlds import Table
from sklearn.metrics import root_mean_squared_error

from crivo.core.blocks import Context, Training
from crivo.core.registry import make_block
from crivo.evaluation.assess import assess
from crivo.evaluation.inspection import permutation_importance
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.predicting import Predicting

# Rows of each part, and features: those of Ames.
TRAIN, VALID, FRESH, WIDTH = 1_300, 600, 6_000, 79
# What doesn't matter, as R012 has it: this part of what the model gains over the mean.
MARGIN = 0.02
KINDS = (
    "few features matter",
    "most features matter a little",
    "ten features matter, the others are noise",
)


def drawn(kind: str, random: np.random.Generator) -> Table:
    """Return features, most of them correlated, a third of few levels, and a skewed target."""
    count = TRAIN + VALID + FRESH
    latent = random.normal(size=(count, 12))
    loads = random.normal(size=(12, WIDTH)) * (random.random((12, WIDTH)) < 0.3)
    x = latent @ loads + random.choice([0.5, 1.0, 1.5], WIDTH) * random.normal(size=(count, WIDTH))
    if kind == KINDS[0]:
        known = x @ (random.normal(size=WIDTH) * random.exponential(size=WIDTH) ** 2)
    elif kind == KINDS[1]:
        x = latent @ random.normal(size=(12, WIDTH)) + 6 * random.normal(size=x.shape)
        known = latent @ random.normal(size=12) + 0.05 * x @ random.normal(size=WIDTH)
    else:
        x[:, 10:] = random.normal(size=(count, WIDTH - 10))
        known = x[:, :10] @ random.normal(size=10)
    for column in range(0, WIDTH, 3):
        x[:, column] = np.digitize(x[:, column], np.quantile(x[:, column], [0.5, 0.8, 0.95]))
    known = (known - known.mean()) / known.std() + 0.35 * random.normal(size=count)
    rows = pd.DataFrame(x).add_prefix("x").assign(y=np.exp(0.4 * known))
    splits = np.repeat(["train", "valid", "fresh"], [TRAIN, VALID, FRESH])
    return Table(rows, "regression", splits)


def advised(kind: str, seed: int) -> tuple[int, bool, float]:
    """Return how many features are idle, whether a fit shows it, and the cost in % of the RMSE."""
    table = drawn(kind, np.random.default_rng(seed))
    train, valid, fresh = (table.split(name) for name in ("train", "valid", "fresh"))
    features = [*table.schema.features]
    predicting = Predicting(table.schema)
    training = Training(np.zeros(TRAIN, bool), lambda metrics: None)
    block = make_block("model", "boosting", {"max_iter": 250, "learning_rate": 0.05})

    def fit(names: list[str]) -> Any:
        return block.fit(block.build("regression", 0), train[names], train["y"], training)

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
    for kind in KINDS:
        found = [advised(kind, seed) for seed in range(first, first + tables)]
        idle, shown, costs = (np.array(each) for each in zip(*found, strict=True))
        told = costs[shown]
        worst = f"{costs[idle > 0].max():+.1f}" if idle.any() else "–"
        theirs = [f"{told.mean():+.1f}", f"{told.max():+.1f}"] if shown.any() else ["–", "–"]
        yield [kind, f"{tables}", f"{idle.mean():.0f} of {WIDTH}", worst, f"{shown.sum()}", *theirs]
