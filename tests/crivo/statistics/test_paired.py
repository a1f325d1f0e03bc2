"""Differences of many models at once are those that the intervals' functions give one by one."""

from __future__ import annotations

from math import inf, isfinite, nan

import numpy as np
import pytest

from crivo.statistics.intervals import Estimate, difference, interval, smallest_detectable
from crivo.statistics.jackknife import standard_error, standard_errors
from crivo.statistics.paired import Values, differences
from crivo.statistics.scale import Scale

RANDOM = np.random.default_rng(3)
METRICS = [
    Scale("roc_auc", "higher", (0, 1)),
    Scale("log_loss", "lower", (0, inf)),
    Scale("bias", "nearest", (-1, 1), 0.0),
    Scale("slope", "nearest", best=1.0),
]


def one_by_one(
    metric: Scale, mine: Estimate, theirs: Estimate, critical: float, same: bool
) -> list[float]:
    found = difference(metric, mine, theirs)
    if same:
        found = Estimate(0.0, found.deleted * 0, found.effective)
    reach = critical if isfinite(critical) else None
    limits = interval(found, critical=reach)
    return [found.value, *limits, smallest_detectable(found, reach)]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@pytest.mark.parametrize("clusters", [1, 2, 3, 12, 130])
def test_all_at_once_are_those_one_by_one(metric: Scale, clusters: int) -> None:
    middle = 0.7 if metric.best is None else metric.best
    values = middle + RANDOM.normal(0, 0.1, 7)
    deleted = values[:, None] + RANDOM.normal(0, 0.02, (7, clusters))
    deleted[3, 0] = nan
    critical = np.array([2.1, 3.0, 4.4, 2.0, 1e3, inf, 2.5])
    effective = np.array([min(clusters, 5.5)] * 4 + [float(clusters)] * 3)
    same = np.array([False, False, True, False, False, False, True])
    found = differences(
        metric, Values(values, deleted), Values(values[:1], deleted[:1]), effective, critical, same
    )
    estimates = [
        Estimate(float(value), row, float(count))
        for value, row, count in zip(values, deleted, effective, strict=True)
    ]
    # Of two estimates the fewer effective clusters count.
    theirs = estimates[0]._replace(effective=None)
    for place, mine in enumerate(estimates):
        alone = one_by_one(metric, mine, theirs, float(critical[place]), bool(same[place]))
        assert np.array_equal([column[place] for column in found], alone, equal_nan=True)


def test_rows_that_do_not_lie_together_have_the_same_standard_errors() -> None:
    table = np.asfortranarray(RANDOM.normal(size=(5, 300)))
    assert standard_errors(table).tolist() == [standard_error(row) for row in table]
