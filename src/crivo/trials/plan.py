"""How much more data: what would decide a comparison, and what the rows at hand can show."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from scipy.special import stdtr

from crivo.comparison.choice import choose
from crivo.comparison.columns import ComparedMetric
from crivo.comparison.comparing import compare_pair
from crivo.comparison.families import Family
from crivo.comparison.pairing import pair
from crivo.comparison.sequences import Standing
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.results import Number, result
from crivo.evaluation.predicting import Predicting
from crivo.records.cached import Store
from crivo.records.comparability import Refusal
from crivo.records.history import History, read_history
from crivo.records.looks import looks_in
from crivo.records.record import Record, require
from crivo.statistics.jackknife import effective_clusters
from crivo.statistics.planning import clusters_for, smallest_gain
from crivo.statistics.sequence import Spending

if TYPE_CHECKING:
    import pandas as pd

CHANCES = (0.5, 0.8)


@result
class Needed:
    """The number of clusters with which a comparison is decided with some probability."""

    chance: float
    """The probability."""
    clusters: Number
    """The number of clusters; null if it is more than a hundred times today's number."""
    times: Number
    """The number of clusters divided by today's number."""


@result
class Detectable:
    """The smallest difference that given rows show in four of five cases."""

    rows: Literal["validation", "test"]
    """The split that these rows are in."""
    clusters: Number
    """The number of clusters that they form; null if it isn't known."""
    spent: float
    """The part of the error of 0.05 that a verdict may spend."""
    difference: Number
    """The difference; null if it isn't known."""
    note: str = ""
    """Why the difference isn't known."""


@dataclass(frozen=True)
class Plan:
    """How much more data a comparison needs.

    `compared`: the primary metric beside the reference's. `needed`: for each chance how many
    clusters; empty where the comparison is decided, or there is no difference. `as_seen`:
    how many, if the difference seen were the true one. `detectable`: what validation rows and
    test rows can show.
    """

    compared: ComparedMetric
    needed: tuple[Needed, ...]
    detectable: tuple[Detectable, ...]

    @property
    def as_seen(self) -> float:
        """With how many clusters it would be decided if the difference seen were the true one."""
        return self.compared.clusters_needed

    @property
    def clusters(self) -> float:
        """How many clusters count today."""
        return self.compared.pair.record.clusters

    @property
    def standing(self) -> Standing:
        """Which trial it is, and what it may spend."""
        return self.compared.standing


def plan(revision: str, *, against: str | None = None, folder: Path = Path()) -> Plan:
    """Return how many clusters would decide a comparison, and what the rows at hand can show.

    CrivoError: the two can't be compared, or the experiment is its own reference.
    """
    history = read_history(folder)
    choice = choose(history, [revision], against=against)
    record = require(history.find(revision))
    if record.split == "test":
        raise CrivoError(
            f"{record.name} was evaluated on the test rows; plan with the experiment that was "
            "evaluated on validation rows."
        )
    store = Store(history.repository)
    found = pair(record, choice.reference_of(record), store, common_rows=False)
    if isinstance(found, Refusal):
        raise CrivoError(f"{record.name} can't be compared: {found.reason}; {found.advice}.")
    if found.itself:
        raise CrivoError(
            f"{record.name} can't be compared with itself; name another reference: "
            f"`crivo plan {revision} --against REV`."
        )
    family = Family(
        history.counted,
        choice.reference_of,
        choice.among_of,
        remembered=history.remembered,
    )
    primary = next(iter(compare_pair(found, family).values()))
    detectable = (_on_validation_rows(primary), _on_test_rows(history, store, primary))
    return Plan(primary, _needed(primary), detectable)


def _needed(one: ComparedMetric) -> tuple[Needed, ...]:
    if one.difference.verdict != "undecided":
        return ()
    clusters, se = one.pair.record.clusters, one.difference.interval.se
    level = 2 * float(stdtr(clusters - 1, -one.critical))
    sizes = [
        (chance, clusters_for(chance, one.difference.value, se, clusters, level, one.margin))
        for chance in CHANCES
    ]
    return tuple(Needed(chance, size, size / clusters) for chance, size in sizes)


def _on_validation_rows(one: ComparedMetric) -> Detectable:
    clusters, spent = one.pair.record.clusters, one.standing.spent
    return Detectable("validation", clusters, spent, one.difference.minimum_detectable)


def _on_test_rows(history: History, store: Store, one: ComparedMetric) -> Detectable:
    """Return what the next look at the test rows can confirm; of these only clusters are read."""
    record = one.pair.record
    section = record.settings.get("compare") or {}
    looks = looks_in(history).drop_duplicates("predictions")
    spent = Spending(section.get("planned_looks")).level(len(looks) + 1)
    try:
        clusters = _test_clusters(store, record)
    except CrivoError as error:
        return Detectable("test", nan, spent, nan, str(error))
    se = one.difference.interval.se
    gain = smallest_gain(se, record.clusters, clusters, spent) if se > 0 else nan
    return Detectable("test", clusters, spent, gain)


def _test_clusters(store: Store, record: Record) -> float:
    """Return the effective clusters of a record's test rows, from their names alone."""
    schema, settings = store.schema(record), record.settings.get("evaluate") or {}
    cluster = settings.get("cluster")
    columns = [name for name in dict.fromkeys((schema.id, cluster, schema.weight)) if name]
    path = store.path(record, artifacts.prepared("test").as_posix())
    rows: pd.DataFrame = artifacts.read_table(path, columns)
    grouping = (cluster, settings.get("block", 1), (), settings.get("period"))
    groups = Predicting(schema, *grouping).groups(rows)
    weight = rows[schema.weight] if schema.weight else rows[schema.id].notna()
    return effective_clusters(groups.codes, weight.to_numpy(float))
