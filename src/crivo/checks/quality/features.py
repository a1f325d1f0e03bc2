"""R: do features add nothing, or copy each other?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from crivo.checks.project import Project
from crivo.checks.quality.evaluated import about, part, training_sample
from crivo.checks.registry import Found, check
from crivo.core import artifacts
from crivo.core.findings import NotApplicable

IMPORTANCE = artifacts.EVALUATION / "plots/importance.csv"
LOSSES = ("log_loss", "rmse", "error_rate")
# Of what the model takes off the baseline's loss: a feature below it is not worth its column.
NOTHING = 0.01
SAME = 0.999
LEVEL = 0.05
# On fewer rows an importance is far from normal: a few rows make it.
MIN_EVALUATED = 200
# Of columns that two share, the ranks are compared on so many rows.
RANKED = 5_000
MIN_ROWS = 50


@check(
    "R012",
    "Features that add nothing",
    severity="note",
    example="features: 3 of 48 add next to nothing on these rows (pressure, visib, gust): "
    "shuffling any of them costs less than 1 % of the model's gain over the baseline; leave them "
    "out in one trial, and keep them out if the result isn't worse.",
)
def idle_features(project: Project) -> Iterator[Found]:
    """A feature that adds nothing costs time, and the model fails on the day when it is missing.
    The check reports features whose permutation importance is shown to be below 1 % of the
    model's gain over the baseline's loss: the upper end of the importance's interval is below it.
    The interval allows for the number of features. The check needs at least 200 evaluated rows.
    If features can replace each other, each of them looks useless, so confirm the finding by a
    trial without them.
    """
    if about(project).get("n_rows", MIN_EVALUATED) < MIN_EVALUATED:
        raise NotApplicable(f"fewer than {MIN_EVALUATED} evaluated rows")
    table = part(project, artifacts.read_csv, IMPORTANCE)
    metrics = part(project, artifacts.read_json, artifacts.EVALUATION / "metrics.json")
    name = next((one for one in LOSSES if f"baseline_{one}" in metrics and one in metrics), None)
    if name is None or "loss_increase_high" not in table:
        raise NotApplicable(
            "the result has no loss for the baseline, or no intervals of importances"
        )
    gain = metrics[f"baseline_{name}"] - metrics[name]
    if not gain > 0:
        raise NotApplicable("the model's loss isn't below the baseline's")
    ends = upper_ends(table)
    names = [str(one) for one in table["feature"][ends < NOTHING * gain]]
    if names:
        yield Found(
            "features",
            f"{len(names)} of {len(table)} add next to nothing on these rows ({_some(names)}): "
            "shuffling any of them costs less than 1 % of the model's gain over the baseline; "
            "leave them out in one trial, and keep them out if the result isn't worse.",
        )


@check(
    "R013",
    "Features that duplicate each other",
    severity="note",
    example="features: temp and temp_celsius carry the same information (rank correlation 1.0000); "
    "keep only one of them, because chance divides importances and coefficients between them.",
)
def copied_features(project: Project) -> Iterator[Found]:
    """Two columns that order the rows in the same way carry the same information. Chance then
    divides its importance between them, so that each looks less important than it is, and their
    coefficients in a linear model have no meaning. The check reports numbers with a rank
    correlation of at least 0.999, and categories that determine each other. It needs at least
    50 training rows.
    """
    about(project)
    features, _ = training_sample(project)
    if len(features) < MIN_ROWS:
        raise NotApplicable(f"fewer than {MIN_ROWS} training rows")
    for one, other, alike in copies(features.iloc[:RANKED]):
        yield Found(
            "features",
            f"{one} and {other} carry the same information ({alike}); keep only one of them, "
            "because chance divides importances and coefficients between them.",
        )


def copies(features: pd.DataFrame) -> Iterator[tuple[str, str, str]]:
    """Yield pairs of columns that say the same, and how that shows."""
    numbers = features.select_dtypes(include=["number"]).astype(float)
    numbers = numbers.loc[:, numbers.nunique() > 2]
    correlation = numbers.corr(method="spearman", min_periods=MIN_ROWS).abs().to_numpy()
    for i, j in zip(*np.nonzero(np.triu(correlation >= SAME, 1)), strict=True):
        value = f"rank correlation {correlation[i, j]:.4f}"
        yield str(numbers.columns[i]), str(numbers.columns[j]), value
    named = features.select_dtypes(include=["category"])
    codes: dict[bytes, str] = {}
    for name in named:
        if named[name].nunique() < 3:
            continue
        key = pd.factorize(named[name])[0].tobytes()
        if key in codes:
            yield codes[key], str(name), "each value corresponds to one value of the other"
        codes.setdefault(key, str(name))


def upper_ends(table: pd.DataFrame) -> pd.Series:
    """Return the upper ends of importances' intervals, so that all of them hold at once."""
    from scipy.special import ndtri

    value, high = (pd.to_numeric(table[name]) for name in ("loss_increase", "loss_increase_high"))
    all_at_once = ndtri(1 - LEVEL / (2 * max(len(table), 1))) / ndtri(1 - LEVEL / 2)
    return value + (high - value) * float(all_at_once)


def _some(names: list[str], most: int = 5) -> str:
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])
