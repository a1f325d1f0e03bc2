"""Where a file comes from: the commit or experiment, data, settings, code, environment; and back.

from crivo.provenance import trace
trace("models/model.skops").source.name
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.experiments.history import History, read_history
from crivo.experiments.records import Record
from crivo.provenance.disk import Disk
from crivo.provenance.inputs import Source, changed_from_parent, commands, inputs_in, source_of
from crivo.provenance.lookup import (
    HASH,
    Holder,
    exact_record,
    lookup,
    recorded_lock,
)
from crivo.repository.lock import LOCK, Lock, LockedFile, read_lock
from crivo.repository.paths import covers

OTHERS = "`git fetch origin 'refs/exps/*:refs/exps/*'` fetches the experiments of others."


@dataclass(frozen=True)
class Stored:
    """An output of an experiment, and where it is kept here: `cache`, `git` or `missing`."""

    path: str
    md5: str
    size: int | None
    stage: str
    kept: Literal["cache", "git", "missing"]


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Where a file comes from; or, for a commit or experiment, what it is made of.

    `output`: the file, with the stage that makes or reads it in words (`role`); None for an
    experiment. `source`: the oldest commit or experiment that holds it; `also`: the others.
    `current`: HEAD records it; `in_workspace`: the file on the disk has these bytes. `data`,
    `code`: the hash of each file that was read. `changed`: what sets `source` apart from what
    it started from, in words. `environment`: the lock's hash, and which Python.
    `commands`: what makes it again. `files`: all outputs of an experiment.
    """

    what: str
    output: LockedFile | None = None
    role: str = ""
    source: Source
    also: tuple[Source, ...] = ()
    current: bool
    in_workspace: bool | None = None
    data: dict[str, str]
    settings: dict[str, Any]
    changed: tuple[str, ...]
    code: dict[str, str]
    environment: dict[str, str]
    commands: tuple[str, ...]
    files: tuple[Stored, ...] = ()


def trace(what: str, folder: Path = Path()) -> Trace:
    """Return where a file comes from, or what an experiment is made of.

    `what`: the path of an output or of any file, an MD5 hash as DVC writes it (six digits or
    more), or an experiment, branch, tag or commit. CrivoError: no commit or experiment of this
    clone holds it.
    """
    history = read_history(folder)
    disk = Disk(history.repository)
    path = _in_project(history, folder / what)
    head = _lock_at_head(history)
    if _recorded(head, path):
        return _trace_path(history, disk, what, path, head)
    if HASH.fullmatch(what):
        matches = lookup(history, what)
        if matches:
            return _trace_file(history, disk, what, matches, head)
    if (folder / what).is_file():
        return _trace_path(history, disk, what, path, head)
    return _trace_experiment(history, disk, what, head)


def _in_project(history: History, path: Path) -> str | None:
    """Return a path as DVC names it, from the project's folder; None for one outside."""
    try:
        return path.resolve().relative_to(history.repository.project.resolve()).as_posix()
    except ValueError:
        return None


def _lock_at_head(history: History) -> Lock:
    """Return the lock of the commit that is checked out; an empty one when it has none."""
    key = ("HEAD", LOCK)
    blobs = history.repository.blobs([key])
    return read_lock(blobs[key].content) if key in blobs else Lock({})


def _trace_path(history: History, disk: Disk, what: str, path: str | None, head: Lock) -> Trace:
    """Trace a file on the disk, by its hash; one that isn't there as HEAD records it."""
    out = _recorded(head, path)
    place = history.repository.project / out.path if out else Path(what)
    digest = disk.digest(place) or (out.md5 if out else "")
    # Another output may have the same bytes; the one that was named comes first.
    matches = lookup(history, digest, out.path) if out else []
    matches = matches or lookup(history, digest)
    if not matches:
        raise CrivoError(_unknown(history, what, digest, out))
    return _trace_file(history, disk, what, matches, head)


def _recorded(lock: Lock, path: str | None) -> LockedFile | None:
    """Return the output, or the raw data, that a path is or is in."""
    if path is None:
        return None
    data = {name: file for name, file in lock.sources.items() if not name.startswith("src/")}
    return next((file for name, file in (lock.outs | data).items() if covers(name, path)), None)


def _unknown(history: History, what: str, digest: str, out: LockedFile | None) -> str:
    """Say why no commit or experiment holds a file, and what to do."""
    lock = history.repository.project / LOCK
    text = f"{what} (md5 {digest}) isn't in any commit or experiment of this clone"
    if broken := [one.name for one in history.records if _may_hold(one, digest)]:
        text += f" (but the {LOCK} of {', '.join(broken)} names it and can't be read)"
    if lock.exists() and digest.encode() in lock.read_bytes():
        return (
            f"{text}: it comes from a run in this workspace that isn't saved; `dvc exp save` "
            f"keeps it as an experiment, or commit {LOCK}."
        )
    undo = f"`dvc checkout --force {out.path}` restores the recorded one, " if out else ""
    return f"{text}: it was changed after a run, or its run was never saved here; {undo}{OTHERS}"


def _may_hold(record: Record, digest: str) -> bool:
    """Whether a record's lock holds a hash and can't be read."""
    return (
        not record.lock and LOCK in record.files and digest.encode() in record.files[LOCK].content
    )


def _trace_file(
    history: History, disk: Disk, what: str, matches: Sequence[Holder], head: Lock
) -> Trace:
    first = matches[0]
    file, record = first.file, first.record
    lock = recorded_lock(record)
    other_sources = {one.record.origin.revision: source_of(one.record) for one in matches[1:]}
    other_sources.pop(record.origin.revision, None)
    return replace(
        _trace_record(history, what, record, lock, head, first.stage if first.made else ""),
        output=file,
        role=f"{'made' if first.made else 'read'} by {first.stage}",
        also=tuple(other_sources.values()),
        current=file.md5 in _hashes(head),
        in_workspace=disk.digest(history.repository.project / file.path) == file.md5,
    )


def _hashes(lock: Lock) -> set[str]:
    files = [*lock.outs.values(), *lock.sources.values()]
    return {file.md5 for file in files}


def _trace_experiment(history: History, disk: Disk, what: str, head: Lock) -> Trace:
    try:
        record = exact_record(history, what)
    except CrivoError:
        if "/" not in what and "." not in what and not HASH.fullmatch(what):
            raise
        raise CrivoError(
            f"{what} isn't an output of the pipeline{did_you_mean(what, list(head.outs))}, or a "
            f"hash, experiment, branch, tag or commit that this clone knows; {OTHERS}"
        ) from None
    lock = recorded_lock(record)
    output_files = [
        Stored(out.path, out.md5, out.size, stage.name, _kept(history, disk, record, out))
        for stage in lock.stages.values()
        for out in stage.outs.values()
    ]
    return replace(_trace_record(history, what, record, lock, head), files=tuple(output_files))


def _trace_record(
    history: History, what: str, record: Record, lock: Lock, head: Lock, stage: str = ""
) -> Trace:
    """Return what a record is made of; up to the stage that makes a file of it, where one does."""
    inputs = inputs_in(record, lock.up_to(stage) if stage else lock)
    return Trace(
        what=what,
        source=source_of(record),
        current=lock == head,
        data=inputs.data,
        settings=inputs.settings,
        changed=changed_from_parent(history, record),
        code=inputs.code,
        environment=inputs.environment,
        commands=commands(history, record, lock, head, stage),
    )


def _kept(
    history: History, disk: Disk, record: Record, out: LockedFile
) -> Literal["cache", "git", "missing"]:
    prefix = history.repository.prefix
    if disk.cached(out.md5):
        return "cache"
    known = history.repository.commit(record.origin.revision)
    if history.repository.succeeds("cat-file", "-e", f"{known}:{prefix}{out.path}"):
        return "git"
    return "missing"
