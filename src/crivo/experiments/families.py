"""Differences between experiments, with the correction for all the trials that were made.

Whoever tries twenty settings finds a good one by chance. An interval is therefore widened for
every experiment that was recorded on the same rows before, named on the command line or not:
each trial spends a part of the 5 % error (`crivo.evaluation.sequence`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import NamedTuple

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.evaluation.intervals import (
    Estimate,
    Interval,
    Verdict,
    critical_value,
    difference,
    interval,
    smallest_detectable,
    t_quantile,
    verdict,
)
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.experiments.records import Record, usable
from crivo.experiments.sequences import AmongOf, ReferenceOf, Trials, named
from crivo.repository.remembered import Remembered


class Difference(NamedTuple):
    """How a record's metric differs from its reference's, and what that says."""

    value: float
    interval: Interval
    minimum_detectable: float
    verdict: Verdict


def metrics_in(record: Record) -> dict[str, Metric]:
    """Return the metrics of a record that can have a verdict, the primary one first."""
    known = metrics_of(record.about["task"])
    names = sorted(record.measured_metrics, key=lambda name: name != record.about["primary"])
    return {name: known[name] for name in names if name in known}


def primary_of(record: Record) -> Metric:
    """Return the metric that decides; CrivoError when the code no longer has it."""
    metric = metrics_in(record).get(record.about["primary"])
    if metric is None:
        raise CrivoError(
            f"The primary metric of {record.name}, {record.about['primary']}, has no interval "
            "or no longer exists; evaluate it again with another primary metric."
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
    """The trials on each set of rows, each against its reference.

    `among_of`: what a reference was chosen among; `planned`: the records are all that were planned.
    Experiments with equal predictions are one trial; those equal to their reference are none.
    """

    def __init__(
        self,
        records: Iterable[Record],
        reference_of: ReferenceOf,
        among_of: AmongOf = named,
        planned: bool = False,
        remembered: Remembered | None = None,
    ) -> None:
        self._remembered = remembered
        self._records = list(records)
        self._reference_of, self._among_of = reference_of, among_of
        self._planned = planned
        self._trials: dict[str, Trials] = {}

    def trials(self, rows: str) -> Trials:
        """Return the trials on these rows."""
        if rows not in self._trials:
            self._trials[rows] = Trials(
                self._records,
                self._reference_of,
                self._among_of,
                rows,
                self._planned,
                self._remembered,
            )
        return self._trials[rows]

    def critical(self, record: Record, rows: str, metrics: Sequence[Metric]) -> float:
        """Return how many standard errors a record's intervals on these rows must reach.

        The metrics share the error that one of them alone would have.
        """
        level = self.trials(rows).level(record, metrics)
        return critical_at_level(level, self._clusters(record, rows))

    def _clusters(self, record: Record, rows: str) -> float:
        """Return the clusters that count on these rows: an old record doesn't say it itself."""
        if record.effective_clusters is not None:
            return record.clusters
        alike = [one for one in self._records if usable(one) and one.about["rows"] == rows]
        estimate = record.estimate(record.about["primary"])
        return estimate._replace(effective=known_effective(alike)).clusters

    def cautious(self, record: Record, rows: str, metrics: Sequence[Metric]) -> float:
        """Return the same where it isn't known what the trials and metrics have in common."""
        level = self.trials(rows).standing(record).spent / len(metrics)
        return critical_at_level(level, self._clusters(record, rows))


def known_effective(records: Iterable[Record]) -> float | None:
    """Return the effective clusters that any of some experiments on the same rows says."""
    return next((one.effective_clusters for one in records if one.effective_clusters), None)


def critical_at_level(level: float, clusters: float) -> float:
    """Return how many standard errors one difference of equals exceeds with this probability.

    `clusters`: the effective ones, where they are known.
    """
    return t_quantile(1 - level / 2, clusters)


def critical_of(differences: pd.DataFrame, effective: float | None = None) -> float:
    """Return the critical value of differences, a column a trial; missing without any.

    `effective`: the effective clusters, where they are known.
    """
    if not differences.shape[1]:
        return float("nan")
    return critical_value(differences, effective=effective)
