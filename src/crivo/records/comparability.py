"""Rules for comparing two experiments: the same rows, definition and recipe, all training rows."""

from __future__ import annotations

from typing import Any, NamedTuple

from crivo.core.artifacts import prepared
from crivo.core.errors import CrivoError
from crivo.records.record import JACKKNIFE, Record, require, usable
from crivo.records.settings import changed_words, changes, used

SPLIT_NAMES = {"valid": "validation", "test": "test"}

# The settings that choose the evaluated rows, beside the data and the code.
ROWS = ("dataset", "splitter", "prepare.", "evaluate.cluster", "evaluate.period", "evaluate.block")

DATA, LOCKFILE = "data/raw/", "requirements.txt"
MOVED, SPLITTERS = "prepare.moved_limit", "splitters."

AGAIN = "run it again; what is recorded today has an evaluation"


Key = tuple[Any, ...]


class Refusal(NamedTuple):
    """Why a comparison is refused, and what to do."""

    reason: str
    advice: str


def unknown(record: Record) -> Refusal | None:
    """Say why a record's evaluation isn't known, or None when it is."""
    if record.problem is None:
        return None
    return Refusal(f"evaluation unknown: {record.problem}", AGAIN)


def other_rows(record: Record, reference: Record) -> Refusal | None:
    """Say why two records were not evaluated on the same rows, or None when they were."""
    if record.split != reference.split:
        opened, closed = (record, reference) if record.split == "test" else (reference, record)
        return Refusal(
            f"other split: evaluated on the {SPLIT_NAMES[record.split]} rows, "
            f"{reference.name} on the {SPLIT_NAMES[reference.split]} rows",
            f"`crivo confirm {closed.name}` evaluates {closed.name} on the rows of {opened.name}",
        )
    if record.about["rows"] == reference.about["rows"]:
        return None
    return Refusal(_why_other_rows(record, reference), "run it again on the same rows")


def other_definition(record: Record, reference: Record) -> bool:
    """Whether two records' metrics were defined otherwise: other functions or settings."""
    return bool(record.about["definition"] != reference.about["definition"])


def other_measured(record: Record, reference: Record) -> Refusal | None:
    """Say why two records of one definition can't be told apart, or None when they can."""
    primary = reference.about["primary"]
    if primary not in record.measured_metrics:
        reason = f"it lacks {primary}, the primary metric of {reference.name}"
    elif record.jackknife.clusters != reference.jackknife.clusters:
        reason = f"its {JACKKNIFE} has clusters other than those of {reference.name}"
    else:
        return None
    return Refusal(f"evaluation unknown: {reason}", AGAIN)


def _why_other_rows(record: Record, reference: Record) -> str:
    """Say in what the rows differ: in the data, in settings, or otherwise."""
    settings = changes(record.settings, reference.settings) if reference.settings else {}
    if "dataset" in settings:  # nothing else matters then
        settings = {"dataset": settings["dataset"]}
    reasons = [
        f"{path} contains other data"
        for path, known in record.hashes.items()
        if path.startswith(DATA) and reference.hashes.get(path, known) != known
    ]
    words = changed_words({key: now for key, now in settings.items() if key.startswith(ROWS)})
    if words:
        reasons.append(f"its settings are {', '.join(words)}")
    return "other rows: " + (
        ", and ".join(reasons) or "the evaluated rows, their targets or clusters differ"
    )


def recipe_key(record: Record) -> Key:
    """Return what two runs of one recipe have in common: rows, definition, settings, inputs."""
    settings = {key: value for key, value in used(record.settings).items() if key != "seed"}
    about = record.about
    return (
        about["rows"],
        about["definition"],
        tuple(sorted((key, str(value)) for key, value in settings.items())),
        tuple(sorted(record.inputs(without="evaluate").items())),
    )


def same_recipe(record: Record, before: Record) -> bool:
    """Whether two results differ only by new rows, with which the split may move, or by packages.

    Some rows must be in both. Data with other columns may have been chosen by their result: then
    all rows are the same, or none where their ids are hashes of their content.
    """
    if not (usable(record) and usable(before)) or record.split != before.split:
        return False
    samples = [{*(one.about.get("sample") or ())} for one in (record, before)]
    if not (samples[0] & samples[1] and record.inputs() and before.inputs()):
        return False
    (one, code, data), (other, other_code, other_data) = map(_recipe, (record, before))
    new = data != other_data
    if new and record.about["rows"] == before.about["rows"]:
        return False
    differ = [key for key in one.keys() | other.keys() if one.get(key) != other.get(key)]
    return code == other_code and all(new and key.startswith(SPLITTERS) for key in differ)


def _recipe(record: Record) -> tuple[dict[str, Any], dict[str, str], dict[str, str]]:
    """Return a record's settings and the hashes of its code and data.

    How far rows may move is no part of it, nor are the versions of packages.
    """
    settings = {key: one for key, one in used(record.settings).items() if key != MOVED}
    read = {path: md5 for path, md5 in record.inputs().items() if path != LOCKFILE}
    data = {path: md5 for path, md5 in read.items() if path.startswith(DATA)}
    return settings, {path: md5 for path, md5 in read.items() if path not in data}, data


def overlapping(record: Record, reference: Record) -> bool:
    """Whether two records of a split were evaluated on some of the same rows.

    That is told by a sample of the ids that each holds, which the same rows are always part of.
    Ids that are hashes of the rows' content change with each column, so that rows of one dataset
    may be the same. Records whose samples were drawn otherwise, or that have none, are known by
    the file of their prepared rows.
    """
    if record.split != reference.split:
        return False
    samples = [set(one.about.get("sample") or ()) for one in (record, reference)]
    if samples[0] & samples[1]:
        return True
    sizes = [{len(name) for name in sample} for sample in samples]
    if all(samples) and sizes[0] == sizes[1]:
        names = {one.settings.get("dataset") for one in (record, reference)}
        by_content = any(one.about.get("named_by_content") for one in (record, reference))
        return by_content and len(names - {None}) < 2
    path = prepared(record.split).as_posix()
    files = [one.hashes.get(path) for one in (record, reference)]
    return files[0] is not None and files[0] == files[1]


def require_whole_on_validation(record: Record) -> Record:
    """Return a record that may choose or be chosen; CrivoError for another.

    Test rows never choose, and a model of a part of the rows isn't compared.
    """
    if require(record).split == "test":
        raise CrivoError(
            f"{record.name} was evaluated on the test rows, which aren't for choosing; name the "
            "experiment that was evaluated on validation rows."
        )
    if is_part(record):
        raise CrivoError(
            f"{record.name} was fitted on part of the training rows, so it can't be compared; "
            "name an experiment that was fitted on all of them."
        )
    return record


def fraction_of(record: Record) -> float:
    """Return the fraction of the training rows that a record's model was fitted on."""
    value = (record.settings.get("train") or {}).get("fraction", 1.0)
    return float(value) if isinstance(value, int | float) else 1.0


def is_part(record: Record) -> bool:
    """Whether a record is a point of a learning curve: no trial, and never the best."""
    return fraction_of(record) < 1


def refused_part(record: Record) -> Refusal:
    """Return why such a record isn't compared."""
    return Refusal(
        f"its model was fitted on {fraction_of(record)} of the training rows, as a point of a "
        "learning curve",
        "`crivo repeat NAME --fractions` shows it",
    )
