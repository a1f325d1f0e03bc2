"""Cautions of a comparison: what was left out, and what makes intervals too short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import sqrt

from crivo.comparison.choice import Choice
from crivo.comparison.families import Family, known_effective
from crivo.comparison.pairing import Pair
from crivo.comparison.result import ExperimentVerdict
from crivo.core.layout import a_few
from crivo.core.tasks import TASKS
from crivo.evaluation.caveats import longer
from crivo.evaluation.thresholds import OF_DECISIONS
from crivo.records.comparability import is_part
from crivo.records.exchange import unknown_trials
from crivo.records.history import History
from crivo.records.looks import Look, looks_sentence
from crivo.records.record import Record
from crivo.statistics.intervals import FEW_CLUSTERS, Estimate, difference
from crivo.statistics.serial import autocorrelation, looks_serial

_few = partial(a_few, most=4)


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
        f"Differences of neighbouring clusters are alike in {_few(found)} (autocorrelation up "
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


def pair_cautions(pairs: Mapping[str, Pair], experiments: Sequence[ExperimentVerdict]) -> list[str]:
    """Return what makes shown differences too short: those of the primary metric, and claims."""
    shown = {one.name: one for one in experiments}
    others = {name: one for name, one in pairs.items() if not one.itself}
    found = {
        f"{metric} of {name}": _difference(one, metric)
        for name, one in others.items()
        for metric in _shown(shown[name])
    }
    in_order = all(one.reference.in_order for one in others.values())
    both = {name: (one.record, one.reference) for name, one in others.items()}
    records = [record for pair in both.values() for record in pair]
    old = [name for name, pair in both.items() if known_effective(pair) is None]
    return [
        *cautions(found, in_order=in_order),
        *block_cautions([record.about.get("advised_block") for record in records]),
        *unknown_sizes(old),
        *sought_cautions(records),
    ]


def switched_cautions(
    pairs: Mapping[str, Pair], experiments: Sequence[ExperimentVerdict], family: Family
) -> list[str]:
    """Say which trials were made when another metric decided, which has their error for itself."""
    now = {one.name: one.metrics[0].metric for one in experiments}
    then: dict[tuple[str, str], list[str]] = {}
    for name, one in pairs.items():
        decided = family.trials(one.rows).primary(one.record)
        if not one.itself and decided not in ("", now[name]):
            then.setdefault((decided, now[name]), []).append(name)
    return [
        f"Recorded when {before} decided: {_few(names)}. {after} counts among their other "
        "metrics, as it did then, and decides for trials that are recorded from now on."
        for (before, after), names in then.items()
    ]


def _shown(one: ExperimentVerdict) -> list[str]:
    claimed = (part.metric for part in one.metrics if part.verdict in ("better", "worse"))
    return list(dict.fromkeys([one.metrics[0].metric, *claimed]))


def _difference(one: Pair, metric: str) -> Estimate:
    known = one.reference.metrics[metric]
    return difference(known, one.record.estimate(metric), one.reference.estimate(metric))


def unknown_sizes(names: Sequence[str]) -> list[str]:
    """Say which evaluations don't tell how unequal their clusters are."""
    if not names:
        return []
    return [
        "Recorded without the sizes of their clusters, which count as if they were equal: "
        f"{_few(names)}. If they are not equal, run these experiments again."
    ]


def sought_cautions(records: Sequence[Record]) -> list[str]:
    """Say whose decisions were made by a threshold that was sought on the very rows it judged."""
    names = dict.fromkeys(record.name for record in records if _decided_by_itself(record))
    if not names:
        return []
    return [
        "Recorded with predictions by a threshold that was sought on the same rows: "
        f"{_few(names)}. Their {', '.join(OF_DECISIONS)} are too optimistic; run these "
        "experiments again."
    ]


def _decided_by_itself(record: Record) -> bool:
    """Whether a threshold was sought with the outcomes, and no part of the rows was kept apart."""
    value = (record.settings.get("evaluate") or {}).get("value")
    if not isinstance(value, Mapping) or value.get("capacity") is not None:
        return False
    sought = any(value.values())
    shown = set(OF_DECISIONS) & set(record.measured_metrics)
    own_rows = record.split == "valid" and TASKS[record.about["task"]].has_positive
    return bool(sought and shown and own_rows and not record.about.get("cross_fitted"))


def notes_of(
    history: History,
    choice: Choice,
    pairs: Sequence[Pair],
    looks: Sequence[Look],
    everything: bool,
) -> list[str]:
    """Return what a reader must know beside the table."""
    notes = [choice.note, _chosen(choice, pairs), *(one.note for one in pairs)]
    again = [one.record.name for one in pairs if one.again]
    if again:
        notes.append(
            f"Evaluated again, because their metrics were defined differently: {_few(again)}."
        )
    if everything:
        notes += _unlisted(history, looks)
    if looks or any(one.reference.split == "test" for one in pairs):
        notes.append(looks_sentence(looks))
    notes.append(_not_counted(history, pairs))
    if history.shallow:
        notes.append(
            "This clone is shallow: older trials and looks at the test rows may be missing from "
            "the counts; `git fetch --unshallow` fetches them."
        )
    return [note for note in notes if note]


def _chosen(choice: Choice, pairs: Sequence[Pair]) -> str:
    """Say that the reference was chosen by its result, if there is one for all and it was."""
    references = {one.reference.predictions: one.reference for one in pairs}
    if len(references) != 1:
        return ""
    (reference,) = references.values()
    count = len(choice.among_of(reference))
    if count < 2:
        return ""
    return (
        f"{reference.name} counts as chosen among {count} models on these rows, so each trial is "
        "compared with all of them."
    )


def _not_counted(history: History, pairs: Sequence[Pair]) -> str:
    """Say that trials may be missing that were made where an experiment comes from."""
    names = [
        one.record.name
        for one in pairs
        if one.record.origin.trial and one.record.origin.revision not in history.kept
    ]
    if not names:
        return unknown_trials(history.repository)
    if not history.repository.git("remote"):
        return ""
    return (
        f"If you fetched {_few(names)}, trials on these rows may be missing from the count; "
        "`crivo fetch` fetches those that were shared. You then get the same answer."
    )


def _unlisted(history: History, looks: Sequence[Look]) -> list[str]:
    """Say which experiments were left out, when all were asked for."""
    notes = []
    folds = sum(one.kind == "fold" for one in history.trials)
    if folds:
        notes.append(
            f"{folds} on folds aren't listed, because each fold has other rows; "
            "`crivo repeat REV --folds N` summarises them."
        )
    parts = sum(is_part(one) for one in history.trials)
    if parts:
        notes.append(
            f"{parts} on parts of the training rows aren't listed and don't count as trials; "
            "`crivo repeat NAME --fractions` shows them."
        )
    if looks:
        notes.append(f"{len(looks)} evaluated on test rows aren't listed: test rows don't choose.")
    return notes
