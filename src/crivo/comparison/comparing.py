"""Compares many experiments with their references at once: every metric of each, with verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from crivo.comparison.columns import ComparedMetric
from crivo.comparison.families import Family, differ_all, primary_of
from crivo.comparison.margins import Margins, margins_of
from crivo.comparison.pairing import Pair
from crivo.comparison.sequences import Standing
from crivo.records.record import Record
from crivo.statistics.scale import Scale


class _Group(NamedTuple):
    """The pairs of one reference, whose metrics and margins are worked out once."""

    reference: Record
    metrics: dict[str, Scale]
    margins: dict[str, float]
    pairs: dict[str, Pair]


def compare_pair(
    one: Pair, family: Family, margin: float | Margins | None = None
) -> dict[str, ComparedMetric]:
    """Return each metric's difference and verdict by its name, the primary one first."""
    return compare_pairs({"": one}, family, margin)[""]


def compare_pairs(
    pairs: Mapping[str, Pair], family: Family, margin: float | Margins | None = None
) -> dict[str, dict[str, ComparedMetric]]:
    """Return of each pair, by its name, each metric's difference and verdict, the primary first.

    The primary metric decides. All others share one error, as if they were one metric.
    """
    found: dict[str, dict[str, ComparedMetric]] = {name: {} for name in pairs}
    for group in _by_reference(pairs, margin):
        reaches = {name: _reaches(one, group, family) for name, one in group.pairs.items()}
        standings = {
            name: family.trials(one.rows).standing(one.record) for name, one in group.pairs.items()
        }
        compared = {
            name: _in_metric(metric, group, reaches, standings)
            for name, metric in group.metrics.items()
        }
        for name, reach in reaches.items():
            found[name] = {metric: compared[metric][name] for metric in reach}
    return found


def _by_reference(pairs: Mapping[str, Pair], margin: float | Margins | None) -> list[_Group]:
    groups: dict[int, _Group] = {}
    for name, one in pairs.items():
        if id(one.reference) not in groups:
            metrics, margins = one.reference.metrics, margins_of(one.reference, margin)
            groups[id(one.reference)] = _Group(one.reference, metrics, margins, {})
        groups[id(one.reference)].pairs[name] = one
    return [*groups.values()]


def _reaches(one: Pair, group: _Group, family: Family) -> dict[str, float]:
    """Return how many standard errors the interval of each metric reaches, the primary's first.

    The metric that decided when the record was made has the trial's error for itself.
    """
    widen = family.cautious if one.shared else family.critical
    decided, metrics = family.trials(one.rows).primary(one.record), [*group.metrics.values()]
    names = [primary_of(group.reference).name, *one.record.metrics]
    found = {}
    for name in dict.fromkeys(name for name in names if name in group.metrics):
        found[name] = widen(one.record, one.rows, metrics, primary=name == decided)
    return found


def _in_metric(
    metric: Scale,
    group: _Group,
    reaches: Mapping[str, Mapping[str, float]],
    standings: Mapping[str, Standing],
) -> dict[str, ComparedMetric]:
    """Return one metric of those that have it."""
    own = {name: reach[metric.name] for name, reach in reaches.items() if metric.name in reach}
    if not own:
        return {}
    margin = group.margins.get(metric.name, 0.0)
    records = [group.pairs[name].record for name in own]
    found = differ_all(records, group.reference, metric, [*own.values()], margin)
    return {
        name: ComparedMetric(
            group.pairs[name], metric, difference, own[name], margin, standings[name]
        )
        for name, difference in zip(own, found, strict=True)
    }
