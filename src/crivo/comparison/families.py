"""Differences between experiments, with the correction for all the trials that were made.

Whoever tries twenty settings finds a good one by chance. An interval is therefore widened for
every experiment that was recorded on the same rows before, named on the command line or not:
each trial spends a part of the 5 % error (`crivo.statistics.sequence`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from crivo.comparison.sequences import AmongOf, ReferenceOf, Trials, named
from crivo.core.errors import CrivoError
from crivo.records.record import Record, usable
from crivo.repository.remembered import Remembered
from crivo.statistics.intervals import Interval, Verdict, t_quantile, verdict
from crivo.statistics.paired import Values, differences
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
    """Return the difference in one metric; equal predictions are identical, whatever is noted."""
    (found,) = differ_all([record], reference, metric, [critical], margin)
    return found


def differ_all(
    records: Sequence[Record],
    reference: Record,
    metric: Scale,
    criticals: Sequence[float],
    margin: float = 0,
) -> list[Difference]:
    """Return the differences of records from one reference in one metric, each at its own level."""
    if any(record.cluster_names != reference.cluster_names for record in records):
        raise CrivoError(
            f"The {metric.name} of two tables can't be compared: they have different clusters."
        )
    found = differences(
        metric,
        _values(records, metric.name),
        _values([reference], metric.name),
        np.array([clusters_of(record, reference) for record in records]),
        np.array(criticals, dtype=float),
        np.array([record.predictions == reference.predictions for record in records]),
    )
    rows = zip(*(column.tolist() for column in found), strict=True)
    return [
        Difference(value, limits := Interval(*ends), detectable, verdict(limits, metric, margin))
        for value, *ends, detectable in rows
    ]


def _values(records: Sequence[Record], metric: str) -> Values:
    values = np.array([record.interval(metric)["value"] for record in records])
    return Values(values, np.array([record.deleted(metric) for record in records]))


def clusters_of(record: Record, reference: Record) -> float:
    """Return how many clusters count for the difference of two records."""
    known = [one.effective_clusters for one in (record, reference)]
    effective = min((one for one in known if one is not None), default=None)
    return record.estimate(record.about["primary"])._replace(effective=effective).clusters


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
        self, record: Record, rows: str, metrics: Sequence[Scale], *, primary: bool = True
    ) -> float:
        """Return how many standard errors a record's intervals on these rows must reach.

        That of the metric that decided when it was recorded (`primary`), or those of all others of
        these metrics, which share the error that one of them alone would have.
        """
        level = self.trials(rows).level(record, metrics, primary=primary)
        return t_quantile(1 - level / 2, self._clusters(record, rows))

    def _clusters(self, record: Record, rows: str) -> float:
        """Return the clusters that count on these rows: an old record doesn't say it itself."""
        if record.effective_clusters is not None:
            return record.clusters
        alike = [one for one in self._records if usable(one) and one.about["rows"] == rows]
        estimate = record.estimate(record.about["primary"])
        return estimate._replace(effective=known_effective(alike)).clusters

    def cautious(
        self, record: Record, rows: str, metrics: Sequence[Scale], *, primary: bool = True
    ) -> float:
        """Return the same where it isn't known what the trials and metrics have in common."""
        count = 1 if primary else max(len(metrics) - 1, 1)
        level = self.trials(rows).standing(record).spent / count
        return t_quantile(1 - level / 2, self._clusters(record, rows))


def known_effective(records: Iterable[Record]) -> float | None:
    """Return the effective clusters that any of some experiments on the same rows says."""
    return next((one.effective_clusters for one in records if one.effective_clusters), None)
