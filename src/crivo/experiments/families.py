"""Differences between experiments, with the correction for all the trials that were made.

Whoever tries twenty settings finds a good one by chance. An interval is therefore widened for
every experiment that was recorded on the same rows before, named on the command line or not:
each trial spends a part of the 5 % error (`crivo.evaluation.sequence`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.evaluation.intervals import Interval, Verdict, critical_value, t_quantile, verdict
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.paired import Values, differences
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
    (found,) = differ_all([record], reference, metric, [critical], margin)
    return found


def differ_all(
    records: Sequence[Record],
    reference: Record,
    metric: Metric,
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
