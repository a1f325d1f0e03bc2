"""What makes the intervals of differences too short, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

from crivo.evaluation.caveats import longer
from crivo.evaluation.intervals import (
    FEW_CLUSTERS,
    Estimate,
    autocorrelation,
    difference,
    looks_serial,
)
from crivo.evaluation.thresholds import OF_DECISIONS
from crivo.experiments.columns import ComparedExperiment
from crivo.experiments.families import known_effective, metrics_in
from crivo.experiments.pairing import Pair
from crivo.experiments.records import Record


def cautions(differences: Mapping[str, Estimate], *, in_order: bool) -> list[str]:
    """Warn of differences, by what they are of, whose neighbouring clusters are alike.

    `in_order`: neighbouring clusters are neighbours in fact.
    """
    found = {name: one.deleted for name, one in differences.items() if looks_serial(one.deleted)}
    if not in_order or not found:
        return []
    worst = max(found, key=lambda name: autocorrelation(found[name]))
    count = len(found[worst])
    if count < FEW_CLUSTERS:
        return []
    return [
        f"Differences of neighbouring clusters are alike in {_list([*found])} (autocorrelation up "
        f"to {autocorrelation(found[worst]):.2f}, above {2 / sqrt(count):.2f}): these intervals "
        f"are too short. {longer(found[worst])}"
    ]


def block_cautions(advised: Sequence[int | None]) -> list[str]:
    """Repeat the evaluations' advice on longer blocks; None where one gave none."""
    longest = max((one for one in advised if one), default=0)
    if not longest:
        return []
    return [
        f"The evaluation found its blocks too short and suggests evaluate.block: {longest}; "
        "intervals of differences may be too short as well."
    ]


def pair_cautions(compared: Mapping[str, ComparedExperiment]) -> list[str]:
    """Return what makes shown differences too short: those of the primary metric, and claims."""
    others = {name: one for name, one in compared.items() if not one.pair.itself}
    found = {
        f"{metric} of {name}": _difference(one.pair, metric)
        for name, one in others.items()
        for metric in _shown(one)
    }
    in_order = all(one.pair.reference.in_order for one in others.values())
    pairs = {name: (one.pair.record, one.pair.reference) for name, one in others.items()}
    advised = [record.about.get("advised_block") for pair in pairs.values() for record in pair]
    old = [name for name, pair in pairs.items() if known_effective(pair) is None]
    records = [record for pair in pairs.values() for record in pair]
    serial = cautions(found, in_order=in_order)
    return [*serial, *block_cautions(advised), *unknown_sizes(old), *sought_cautions(records)]


def _shown(one: ComparedExperiment) -> list[str]:
    claimed = (
        name
        for name, metric in one.metrics.items()
        if metric.difference.verdict in ("better", "worse")
    )
    return list(dict.fromkeys([one.primary.name, *claimed]))


def _difference(one: Pair, metric: str) -> Estimate:
    known = metrics_in(one.reference)[metric]
    return difference(known, one.record.estimate(metric), one.reference.estimate(metric))


def unknown_sizes(names: Sequence[str]) -> list[str]:
    """Say which evaluations don't tell how unequal their clusters are."""
    if not names:
        return []
    return [
        "Recorded without the sizes of their clusters, which count as if they were equal: "
        f"{_list(names)}. If they are not equal, run these experiments again."
    ]


def sought_cautions(records: Sequence[Record]) -> list[str]:
    """Say whose decisions were made by a threshold that was sought on the very rows it judged."""
    names = dict.fromkeys(record.name for record in records if _decided_by_itself(record))
    if not names:
        return []
    return [
        "Recorded with predictions by a threshold that was sought on the same rows: "
        f"{_list([*names])}. Their {', '.join(OF_DECISIONS)} promise too much; run these "
        "experiments again."
    ]


def _decided_by_itself(record: Record) -> bool:
    """Whether a threshold was sought with the outcomes, and no part of the rows was kept apart."""
    value = (record.settings.get("evaluate") or {}).get("value")
    if not isinstance(value, Mapping) or value.get("capacity") is not None:
        return False
    sought = any(value.values())
    shown = set(OF_DECISIONS) & set(record.measured_metrics)
    own_rows = record.split == "valid" and record.about["task"] == "binary"
    return bool(sought and shown and own_rows and not record.about.get("cross_fitted"))


def _list(names: Sequence[str], most: int = 4) -> str:
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])
