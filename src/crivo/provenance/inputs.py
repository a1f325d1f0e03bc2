"""The inputs of results: settings, data, code and environment; and how to make them again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from crivo.comparison.prediction_diff import LOCKFILE, input_differences
from crivo.core.results import result
from crivo.provenance.lookup import commit_record
from crivo.records.history import History
from crivo.records.reading import Unusable
from crivo.records.record import PARAMS, Record
from crivo.repository.commits import SHORT
from crivo.repository.lock import LOCK, Lock


@result
class Source:
    """A commit or experiment."""

    name: str
    """Its name."""
    kind: Literal["commit", "experiment"]
    """Whether it is a commit or an experiment."""
    revision: str
    """The commit's hash."""
    parent: str | None
    """The commit that it started from; null for the first commit."""
    author: str
    """Its author."""
    when: datetime
    """When it was made, in UTC."""
    message: str
    """Its message."""


@dataclass(frozen=True)
class Inputs:
    """What a record was made of: see `Trace`."""

    data: dict[str, str]
    settings: dict[str, Any]
    code: dict[str, str]
    environment: dict[str, str]


def inputs_in(record: Record, lock: Lock) -> Inputs:
    """Return what a record's stages read and were set to."""
    read = {path: file.md5 for path, file in lock.sources.items()}
    code = {path: md5 for path, md5 in read.items() if path.startswith("src/")}
    settings: dict[str, Any] = {}
    for stage in lock.stages.values():
        settings |= stage.settings
    data = {path: md5 for path, md5 in read.items() if path not in code and path != LOCKFILE}
    return Inputs(data, settings, code, _environment(record, read.get(LOCKFILE)))


def source_of(record: Record) -> Source:
    """Return where a record comes from."""
    origin = record.origin
    return Source(
        name=origin.name,
        kind="experiment" if origin.trial else "commit",
        revision=origin.revision,
        parent=origin.parent,
        author=origin.author,
        when=origin.when,
        message=origin.hypothesis,
    )


def _environment(record: Record, lock: str | None) -> dict[str, str]:
    environment = {LOCKFILE: lock} if lock else {}
    try:
        about = record.about
    except Unusable:
        return environment
    return environment | {key: str(about[key]) for key in ("environment", "python") if key in about}


def changed_from_parent(history: History, record: Record) -> tuple[str, ...]:
    """Return in words what sets a record apart from what it started from."""
    parent = record.origin.parent
    if parent is None or history.repository.commit(parent) is None:
        return ()
    before = commit_record(history, parent, parent[:SHORT])
    if unknown := [*_unreadable(before), *_unreadable(record)]:
        return tuple(unknown)
    made = input_differences(history, before, record)
    return tuple(
        f"{one.kind} {one.what}" + (f": {one.one} → {one.other}" if one.one else " changed")
        for one in made
    )


def _unreadable(record: Record) -> list[str]:
    """Say what of a record's settings and lock can't be read."""
    sentences = []
    for path in (PARAMS, LOCK):
        try:
            record.check_file(path)
        except Unusable as reason:
            sentences.append(f"unknown, of {record.name}: {reason}")
    return sentences


def commands(
    history: History, record: Record, lock: Lock, head: Lock, stage: str
) -> tuple[str, ...]:
    """Return the commands that make a record's results again; those of one stage if named."""
    origin = record.origin
    names = [one.name for one in history.trials]
    unique = origin.trial and names.count(origin.name) == 1
    name = origin.name if unique else origin.revision[:SHORT]
    take = f"dvc exp apply {name}" if unique else f"git checkout {origin.revision[:SHORT]}"
    now = head.sources
    moved = [
        f"dvc checkout {path}.dvc"
        for path, file in lock.sources.items()
        if path.startswith("data/raw/") and path in now and now[path].md5 != file.md5
    ]
    repro = f"dvc repro --force {stage}".rstrip()
    return (f"crivo verify {name}", " && ".join([take, *moved, repro]))
