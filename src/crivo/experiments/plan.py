"""How much more data: what would decide a comparison, and what the rows at hand can show."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

from scipy.special import stdtr

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.evaluation.clusters import effective_clusters
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.sequence import Spending
from crivo.experiments.cached import Store
from crivo.experiments.choice import choose
from crivo.experiments.columns import ComparedMetric
from crivo.experiments.comparability import Refusal
from crivo.experiments.comparing import compare_pair
from crivo.experiments.families import Family
from crivo.experiments.history import History, read_history
from crivo.experiments.learning_curve import LearningCurve
from crivo.experiments.looks import looks_in
from crivo.experiments.pairing import pair
from crivo.experiments.planning import clusters_for, smallest_gain
from crivo.experiments.records import Record, require
from crivo.experiments.sequences import Standing

if TYPE_CHECKING:
    import pandas as pd

CHANCES = (0.5, 0.8)


@dataclass(frozen=True)
class Needed:
    """With how many clusters a comparison is decided with a chance; `times` those of today."""

    chance: float
    clusters: float
    times: float


@dataclass(frozen=True)
class Detectable:
    """The smallest difference that rows show in four of five cases, missing where `note` says why.

    `clusters`: how many they are of; `spent`: the part of the error that a verdict there may spend.
    """

    rows: str
    clusters: float
    spent: float
    difference: float
    note: str = ""


@dataclass(frozen=True)
class Plan:
    """How much more data a comparison needs.

    `compared`: the primary metric beside the reference's. `needed`: for each chance how many
    clusters; empty where the comparison is decided, or there is no difference. `as_seen`:
    how many, if the difference seen were the true one. `detectable`: what validation rows and
    test rows can show. `curve`: how the metric grows with the training rows, if that was asked for.
    """

    compared: ComparedMetric
    needed: tuple[Needed, ...]
    detectable: tuple[Detectable, ...]
    curve: LearningCurve | None = None

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
    return effective_clusters(groups, weight.to_numpy(float))
