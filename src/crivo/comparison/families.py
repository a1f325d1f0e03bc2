"""Differences between experiments, with the correction for all the trials that were made.

Whoever tries twenty settings finds a good one by chance. An interval is therefore widened for
every experiment that was recorded on the same rows before, named on the command line or not:
each trial spends a part of the 5 % error (`crivo.statistics.sequence`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np

from crivo.comparison.sequences import AmongOf, ReferenceOf, Trials, named
from crivo.records.record import Record, usable
from crivo.repository.remembered import Remembered
from crivo.statistics.intervals import (
    Estimate,
    Interval,
    Verdict,
    difference,
    interval,
    smallest_detectable,
    t_quantile,
    verdict,
)
from crivo.statistics.scale import Scale


class Difference(NamedTuple):
    """How a record's metric differs from its reference's, and what that says."""

    value: float
    interval: Interval
    minimum_detectable: float
    verdict: Verdict


def primary_of(record: Record) -> Scale:
    """Return the metric that decides."""
    return record.metrics[record.about["primary"]]


def goodness(metric: Scale, value: float) -> float:
    """Return a number that is the greater, the better a metric's value is."""
    if metric.best is not None:
        return -abs(value - metric.best)
    return value if metric.direction == "higher" else -value


def differ(
    record: Record, reference: Record, metric: Scale, critical: float, margin: float = 0
) -> Difference:
    """Return the difference in one metric; equal predictions are identical, whatever is noted.

    `critical`: how many standard errors its interval reaches.
    """
    found = difference(metric, record.estimate(metric.name), reference.estimate(metric.name))
    if record.predictions == reference.predictions:
        found = Estimate(0.0, np.zeros_like(found.deleted), found.effective)
    reach = critical if isfinite(critical) else None
    limits = interval(found, critical=reach)
    detectable = smallest_detectable(found, reach)
    return Difference(found.value, limits, detectable, verdict(limits, metric, margin))


class Family:
    """The trials on each set of rows, each against its reference.

    `among_of`: what a reference was chosen among.
    Experiments with equal predictions are one trial; those equal to their reference are none.
    """

    def __init__(
        self,
        records: Iterable[Record],
        reference_of: ReferenceOf,
        among_of: AmongOf = named,
        remembered: Remembered | None = None,
    ) -> None:
        self._remembered = remembered
        self._records = list(records)
        self._reference_of, self._among_of = reference_of, among_of
        self._trials: dict[str, Trials] = {}

    def trials(self, rows: str) -> Trials:
        """Return the trials on these rows."""
        if rows not in self._trials:
            self._trials[rows] = Trials(
                self._records,
                self._reference_of,
                self._among_of,
                rows,
                self._remembered,
            )
        return self._trials[rows]

    def critical(
        self,
        record: Record,
        rows: str,
        metrics: Sequence[Scale],
        *,
        primary: bool = True,
        shared: bool = False,
    ) -> float:
        """Return how many standard errors a record's intervals on these rows must reach.

        That of the metric that decided when it was recorded (`primary`), or those of all others of
        these metrics, which share the error that one of them alone would have. `shared`: on a part
        of the rows, where it isn't known what the trials and metrics have in common.
        """
        trials = self.trials(rows)
        if shared:
            level = trials.rule(record).spent / (1 if primary else max(len(metrics) - 1, 1))
        else:
            level = trials.level(record, metrics, primary=primary)
        return t_quantile(1 - level / 2, self._clusters(record, rows))

    def _clusters(self, record: Record, rows: str) -> float:
        """Return the clusters that count on these rows: an old record doesn't say it itself."""
        if record.effective_clusters is not None:
            return record.clusters
        alike = [one for one in self._records if usable(one) and one.about["rows"] == rows]
        estimate = record.estimate(record.about["primary"])
        return estimate._replace(effective=known_effective(alike)).clusters


def known_effective(records: Iterable[Record]) -> float | None:
    """Return the effective clusters that any of some experiments on the same rows says."""
    return next((one.effective_clusters for one in records if one.effective_clusters), None)
