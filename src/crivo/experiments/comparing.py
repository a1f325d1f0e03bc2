"""Compares many experiments with their references at once: every metric of each, with verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from crivo.evaluation.metrics import Metric
from crivo.experiments.columns import ComparedMetric
from crivo.experiments.families import Family, differ_all, metrics_in, primary_of
from crivo.experiments.margins import Margins, margins_of
from crivo.experiments.pairing import Pair
from crivo.experiments.records import Record
from crivo.experiments.sequences import Standing


class _Group(NamedTuple):
    """The pairs of one reference, whose metrics and margins are worked out once."""

    reference: Record
    metrics: dict[str, Metric]
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
            metrics, margins = metrics_in(one.reference), margins_of(one.reference, margin)
            groups[id(one.reference)] = _Group(one.reference, metrics, margins, {})
        groups[id(one.reference)].pairs[name] = one
    return [*groups.values()]


def _reaches(one: Pair, group: _Group, family: Family) -> dict[str, float]:
    """Return how many standard errors the interval of each metric reaches, the primary's first."""
    primary = primary_of(group.reference)
    widen = family.cautious if one.shared else family.critical
    reaches = {primary.name: widen(one.record, one.rows, [primary])}
    others = [metric for metric in group.metrics.values() if metric.name != primary.name]
    names = [name for name in metrics_in(one.record) if name in group.metrics]
    names = [name for name in names if name != primary.name]
    shared = widen(one.record, one.rows, others) if names else 0.0
    return reaches | dict.fromkeys(names, shared)


def _in_metric(
    metric: Metric,
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
