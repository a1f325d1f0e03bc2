"""Differences between experiments, with the correction for all the trials that were made.

Whoever tries twenty settings finds a good one by chance. An interval is therefore widened for
every recorded experiment on the same rows, named on the command line or not: the critical
value is the 95 % quantile of the greatest |T| of all of them (`critical_value`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import NamedTuple

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.evaluation.intervals import (
    LEVEL,
    Estimate,
    Interval,
    Verdict,
    comparable,
    critical_value,
    difference,
    interval,
    smallest_detectable,
    t_quantile,
    verdict,
)
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.experiments.records import Record, usable

# Which record another one is compared with; None where it has none.
ReferenceOf = Callable[[Record], Record | None]


class Difference(NamedTuple):
    """How a record's metric differs from its reference's, and what that says."""

    value: float
    shown: Interval
    minimum_detectable: float
    verdict: Verdict


def metrics_in(record: Record) -> dict[str, Metric]:
    """Return the metrics of a record that can be judged, the primary one first."""
    known = metrics_of(record.about["task"])
    names = sorted(record.measured_metrics, key=lambda name: name != record.about["primary"])
    return {name: known[name] for name in names if name in known}


def primary_of(record: Record) -> Metric:
    """Return the metric that decides; CrivoError when the code no longer has it."""
    metric = metrics_in(record).get(record.about["primary"])
    if metric is None:
        raise CrivoError(
            f"The primary metric of {record.name}, {record.about['primary']}, has no interval "
            "there or is no metric any more; evaluate it again with another primary metric."
        )
    return metric


def goodness(metric: Metric, value: float) -> float:
    """Return a number that is the greater, the better a metric's value is."""
    if metric.best is not None:
        return -abs(value - metric.best)
    return value if metric.direction == "higher" else -value


def differ(
    record: Record, reference: Record, metric: Metric, critical: float, margin: float = 0
) -> Difference:
    """Return the difference in one metric; equal predictions are identical, whatever is noted."""
    estimate = _difference(record, reference, metric)
    if record.predictions == reference.predictions:
        estimate = Estimate(0.0, estimate.deleted * 0, estimate.effective)
    # Without any trial there is nothing to correct for.
    reach = critical if isfinite(critical) else None
    limits = interval(estimate, critical=reach)
    minimum_detectable = smallest_detectable(estimate, reach)
    return Difference(estimate.value, limits, minimum_detectable, verdict(limits, metric, margin))


def _difference(record: Record, reference: Record, metric: Metric) -> Estimate:
    return difference(metric, record.estimate(metric.name), reference.estimate(metric.name))


class Family:
    """All recorded experiments on the same rows, each against its reference.

    Experiments with equal predictions are one trial; those equal to their reference are none.
    `pairwise`: the reference was chosen among them by its result, so every pair counts.
    """

    def __init__(
        self, records: Iterable[Record], reference_of: ReferenceOf, pairwise: bool = False
    ) -> None:
        self._reference_of = reference_of
        self._pairwise = pairwise
        self._members: dict[str, dict[str, Record]] = {}
        self._critical: dict[tuple[str, str], float] = {}
        for record in records:
            if usable(record):
                members = self._members.setdefault(record.about["rows"], {})
                members.setdefault(record.predictions, record)

    def trials(self, rows: str) -> list[Record]:
        """Return the trials on these rows, in an order that no name changes."""
        members = self._members.get(rows, {})
        ordered = [members[key] for key in sorted(members)]
        return [record for record in ordered if self._differs(record)]

    def _differs(self, record: Record) -> bool:
        reference = self._reference_of(record)
        return (
            reference is not None
            and usable(reference)
            and reference.about["rows"] == record.about["rows"]
            and reference.predictions != record.predictions
        )

    def critical(self, rows: str, metric: Metric) -> float:
        """Return how many standard errors the intervals on these rows must reach."""
        key = (rows, metric.name)
        if key not in self._critical:
            differences = (
                self._pairs(rows, metric) if self._pairwise else self._against(rows, metric)
            )
            self._critical[key] = critical_of(differences, self._effective(rows))
        return self._critical[key]

    def _effective(self, rows: str) -> float | None:
        """Return the effective clusters of these rows, where any of the experiments says them."""
        return known_effective(self._members.get(rows, {}).values())

    def _against(self, rows: str, metric: Metric) -> pd.DataFrame:
        differences = {}
        for record in self.trials(rows):
            reference = self._reference_of(record)
            if reference and _both_have(metric.name, record, reference):
                differences[record.predictions] = _turned(record, metric) - _turned(
                    reference, metric
                )
        return pd.DataFrame(differences)

    def _pairs(self, rows: str, metric: Metric) -> pd.DataFrame:
        """Return the differences of all pairs."""
        members = [self._members[rows][key] for key in sorted(self._members.get(rows, {}))]
        anchor = self._reference_of(members[0]) if members else None
        alike = [one for one in members if _both_have(metric.name, anchor or members[0], one)]
        values = np.array([_turned(one, metric) for one in alike])
        first, second = np.triu_indices(len(alike), 1)
        return pd.DataFrame((values[first] - values[second]).T)


def known_effective(records: Iterable[Record]) -> float | None:
    """Return the effective clusters that any of some experiments on the same rows says."""
    return next((one.effective_clusters for one in records if one.effective_clusters), None)


def _turned(record: Record, metric: Metric) -> np.ndarray:
    return comparable(metric, record.estimate(metric.name)).deleted.to_numpy()


def _both_have(metric: str, one: Record, other: Record) -> bool:
    """Whether both hold the metric without the same clusters."""
    return (
        metric in one.measured_metrics
        and metric in other.measured_metrics
        and one.jackknife.index.equals(other.jackknife.index)
    )


def critical_of(differences: pd.DataFrame, effective: float | None = None) -> float:
    """Return the critical value of differences, a column a trial; missing without any.

    `effective`: the effective clusters, where they are known.
    """
    if not differences.shape[1]:
        return float("nan")
    return critical_value(differences, effective=effective)


def cautious_critical(trials: int, clusters: float) -> float:
    """Return a critical value for trials whose correlation isn't known; clusters: effective ones.

    Independent trials need the widest intervals (Šidák 1967), so it is never too small.
    """
    return t_quantile((1 + LEVEL ** (1 / max(trials, 1))) / 2, clusters)
