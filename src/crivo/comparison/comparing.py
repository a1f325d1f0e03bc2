"""Compares one experiment with its reference: verdicts by metric, and notes."""

from __future__ import annotations

from math import nan

from crivo.comparison.families import Difference, Family, differ, primary_of
from crivo.comparison.margins import Margins, margins_of, shown_not_worse
from crivo.comparison.pairing import Pair
from crivo.comparison.result import ExperimentVerdict, MetricVerdict, SliceValue
from crivo.records.noted import Noted
from crivo.records.record import Record
from crivo.statistics.planning import clusters_needed


def compare_pair(
    one: Pair, family: Family, margin: float | Margins | None = None
) -> tuple[MetricVerdict, ...]:
    """Return each metric's difference and verdict, the primary one first.

    The primary metric decides. All others share one error, as if they were one metric. The metric
    that decided when the record was made has the trial's error for itself.
    """
    record, reference = one.record, one.reference
    trials, metrics = family.trials(one.rows), reference.metrics
    rule, decided = trials.rule(record), trials.primary(record)
    margins, clusters = margins_of(reference, margin), record.clusters
    found = []
    for name in dict.fromkeys([primary_of(reference).name, *record.metrics]):
        if name not in metrics:
            continue
        critical = trials.critical(
            record, [*metrics.values()], primary=name == decided, shared=one.shared
        )
        difference = differ(record, reference, metrics[name], critical, margins.get(name, 0.0))
        own, limits = record.interval(name), difference.interval
        found.append(
            MetricVerdict(
                metric=name,
                value=own["value"],
                low=own["low"],
                high=own["high"],
                difference=difference.value,
                se=limits.se,
                difference_low=limits.low,
                difference_high=limits.high,
                minimum_detectable=difference.minimum_detectable,
                critical=critical,
                verdict=difference.verdict,
                not_worse=shown_not_worse(limits, metrics[name], margins.get(name, 0.0)),
                clusters=clusters,
                clusters_needed=_needed(difference, critical, clusters, margins.get(name, 0.0)),
                trial=rule.trial,
                spent=rule.spent,
                left=rule.left,
            )
        )
    return tuple(found)


def _needed(found: Difference, critical: float, clusters: float, margin: float) -> float:
    """Return with how many clusters it would be decided; missing where it is."""
    if found.verdict != "undecided":
        return nan
    return clusters_needed(found.value, found.interval.se, critical, clusters, margin)


def experiment_verdict(
    name: str,
    one: Pair,
    metrics: tuple[MetricVerdict, ...],
    *,
    changed: str,
    search: str,
    said: Noted,
) -> ExperimentVerdict:
    """Return an experiment with its verdicts, what it changed, and what people said of it."""
    first, *others = metrics
    origin = one.record.origin
    return ExperimentVerdict(
        name=name,
        changed=changed,
        value=first.value,
        low=first.low,
        high=first.high,
        difference=first.difference,
        difference_low=first.difference_low,
        difference_high=first.difference_high,
        minimum_detectable=first.minimum_detectable,
        verdict="reference" if one.itself else first.verdict,
        worse=", ".join(other.metric for other in others if other.verdict == "worse"),
        not_worse=", ".join(other.metric for other in others if other.not_worse),
        trial=first.trial,
        spent=first.spent,
        left=first.left,
        author=origin.author,
        when=origin.when,
        message=origin.hypothesis if origin.trial else "",
        revision=origin.revision,
        model_bytes=one.record.model_bytes,
        starred=said.starred,
        notes=tuple(map(str, said.notes)),
        search=search,
        metrics=metrics,
        worse_slices=_worse_slices(one.record),
    )


def _worse_slices(record: Record) -> tuple[SliceValue, ...]:
    slices = record.slices
    columns = (slices[name].tolist() for name in ("value", "low", "high", "verdict"))
    rows = zip(slices.index, *columns, strict=True)
    return tuple(SliceValue(name, *own) for name, *own, word in rows if word == "worse")
