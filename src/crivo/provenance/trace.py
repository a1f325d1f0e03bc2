"""`crivo trace`: a file's commit or experiment, data, settings, code and environment; and back.

from crivo.provenance import trace
trace("models/model.skops").source.name
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from crivo.core.artifacts import MODEL
from crivo.core.cache import md5_of
from crivo.core.errors import CrivoError
from crivo.core.layout import a_few, paragraph
from crivo.core.problems import did_you_mean
from crivo.core.results import result
from crivo.modelfile.archives import UNREADABLE, read_members
from crivo.provenance.lookup import HASH, Holder, exact_record, lock_at_head, lookup, recorded_lock
from crivo.records.changed_files import LOCKFILE, input_differences
from crivo.records.history import History, read_commits, read_history
from crivo.records.reading import Unusable
from crivo.records.record import PARAMS, Record
from crivo.records.settings import changed_words
from crivo.repository.commits import SHORT
from crivo.repository.lock import LOCK, Lock, LockedFile, covers
from crivo.repository.outputs import content_hash

LABEL = 13
DIGITS = 12
MAX_LINES = 8
OTHERS = "`crivo fetch` fetches the experiments of others."


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


@result
class Trace:
    """Where a file comes from; or, for a commit or experiment, what it is made of."""

    what: str
    """What was asked for."""
    source: Source
    """The oldest commit or experiment that holds it."""
    current: bool
    """Whether HEAD records it."""
    data: dict[str, str]
    """The hash of each data file that was read."""
    settings: dict[str, Any]
    """The settings that were read."""
    changed: tuple[str, ...]
    """What differs from the commit that the source started from."""
    code: dict[str, str]
    """The hash of each code file that was read."""
    environment: dict[str, str]
    """The hash of the lock, and the version of Python."""
    commands: tuple[str, ...]
    """The commands that reproduce it."""
    output: LockedFile | None = None
    """The file; null for an experiment."""
    role: str = ""
    """The stage that makes or reads the file, in words."""
    also: tuple[Source, ...] = ()
    """Other commits and experiments that hold it."""
    in_workspace: bool | None = None
    """Whether the file in the workspace has these bytes; null for an experiment."""


def trace(what: str, folder: Path = Path()) -> Trace:
    """Return where a file comes from, or what an experiment is made of.

    `what`: the path of an output or of any file, an MD5 hash as DVC writes it (six digits or
    more), or an experiment, branch, tag or commit. CrivoError: no commit or experiment of this
    clone holds it.
    """
    history = read_history(folder)
    project, head = history.repository.project, lock_at_head(history.repository)
    out = _recorded(head, project, folder / what)
    place = project / out.path if out else folder / what
    digest = (file_hash(place) if out or place.is_file() else None) or (out.md5 if out else "")
    if not digest and HASH.fullmatch(what):
        digest = what
    # Another output may have the same bytes; the one that was named comes first.
    matches = lookup(history, digest, out.path) if out else []
    matches = matches or (lookup(history, digest) if digest else [])
    if matches:
        return _trace_file(history, what, matches, head)
    if digest in ("", what):
        return _trace_experiment(history, what, head)
    raise CrivoError(_unknown(history, what, digest, out))


def file_hash(path: Path) -> str | None:
    """Return the hash of a file or folder as DVC computes it; None for nothing there.

    A file of `crivo export` has that of the model in it.
    """
    if path.is_file() and zipfile.is_zipfile(path):
        with suppress(*UNREADABLE):  # then it is a file like any other
            if model := read_members(path, [MODEL.name]):
                return md5_of(model[MODEL.name])
    return content_hash(path)


def _recorded(lock: Lock, project: Path, place: Path) -> LockedFile | None:
    """Return the output, or the raw data, that a place is or is in."""
    try:
        path = place.resolve().relative_to(project.resolve()).as_posix()
    except ValueError:  # outside of the project
        return None
    data = {name: file for name, file in lock.sources.items() if not name.startswith("src/")}
    return next((file for name, file in (lock.outs | data).items() if covers(name, path)), None)


def _unknown(history: History, what: str, digest: str, out: LockedFile | None) -> str:
    """Say why no commit or experiment holds a file, and what to do."""
    lock = history.repository.project / LOCK
    text = f"{what} (md5 {digest}) isn't in any commit or experiment of this clone"
    if lock.exists() and digest.encode() in lock.read_bytes():
        return (
            f"{text}: it comes from a run in this workspace that isn't saved; `dvc exp save` "
            f"keeps it as an experiment, or commit {LOCK}."
        )
    undo = f"`dvc checkout --force {out.path}` restores the recorded one, and " if out else ""
    return f"{text}: it was changed after a run, or its run was never saved here; {undo}{OTHERS}"


def _trace_file(history: History, what: str, matches: Sequence[Holder], head: Lock) -> Trace:
    first = matches[0]
    file, record = first.file, first.record
    lock = recorded_lock(record)
    other_sources = {one.record.origin.revision: _source(one.record) for one in matches[1:]}
    other_sources.pop(record.origin.revision, None)
    return replace(
        _trace_record(history, what, record, lock, head, first.stage if first.made else ""),
        output=file,
        role=f"{'made' if first.made else 'read'} by {first.stage}",
        also=tuple(other_sources.values()),
        current=any(file.md5 == one.md5 for one in (head.outs | head.sources).values()),
        in_workspace=file_hash(history.repository.project / file.path) == file.md5,
    )


def _trace_experiment(history: History, what: str, head: Lock) -> Trace:
    try:
        record = exact_record(history, what)
    except CrivoError:
        if "/" not in what and "." not in what and not HASH.fullmatch(what):
            raise
        raise CrivoError(
            f"{what} isn't an output of the pipeline{did_you_mean(what, list(head.outs))}, or a "
            f"hash, experiment, branch, tag or commit that this clone knows; {OTHERS}"
        ) from None
    return _trace_record(history, what, record, recorded_lock(record), head)


def _trace_record(
    history: History, what: str, record: Record, lock: Lock, head: Lock, stage: str = ""
) -> Trace:
    """Return what a record is made of; up to the stage that makes a file of it, where one does."""
    made = lock.up_to(stage) if stage else lock
    read = {path: file.md5 for path, file in made.sources.items()}
    code = {path: md5 for path, md5 in read.items() if path.startswith("src/")}
    settings = [one.settings for one in made.stages.values()]
    return Trace(
        what=what,
        source=_source(record),
        current=lock == head,
        data={path: read[path] for path in read if path not in code and path != LOCKFILE},
        settings={key: value for values in settings for key, value in values.items()},
        changed=_changed_from_parent(history, record),
        code=code,
        environment=_environment(record, read.get(LOCKFILE)),
        commands=_commands(history, record, stage),
    )


def _source(record: Record) -> Source:
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


def _changed_from_parent(history: History, record: Record) -> tuple[str, ...]:
    """Return in words what sets a record apart from what it started from."""
    parent = record.origin.parent
    if parent is None or history.repository.commit(parent) is None:
        return ()
    (before,) = read_commits(history.repository, {parent: parent[:SHORT]})
    if not before.lock:
        return (f"everything: {before.name} records no results",)
    if not (before.settings and record.settings):
        return (f"unknown: {PARAMS} of {before.name} or {record.name} can't be read",)
    return tuple(
        f"{one.kind} {one.what}" + (f": {one.one} → {one.other}" if one.one else " changed")
        for one in input_differences(history, before, record)
    )


def _commands(history: History, record: Record, stage: str) -> tuple[str, ...]:
    """Return the commands that reproduce a record's results; those of one stage if named."""
    origin = record.origin
    names = [one.name for one in history.trials]
    unique = origin.trial and names.count(origin.name) == 1
    name = origin.name if unique else origin.revision[:SHORT]
    take = f"dvc exp apply {name}" if unique else f"git checkout {name} && dvc checkout"
    return (f"crivo verify {name}", f"{take} && dvc repro --force {stage}".rstrip())


# --- for people -------------------------------------------------------------------------------


def trace_text(trace: Trace) -> str:
    """Return what a trace is about, where it comes from, and how to reproduce it."""
    source, out = trace.source, trace.output
    title, first = f"{source.kind} {source.name}", "made by"
    if out is not None:
        size = "" if out.size is None else f" ({out.size:,} bytes)"
        title, first = f"{out.path} {out.md5}{size}, {trace.role}", "first in"
    settings = {key: (value, None) for key, value in trace.settings.items()}
    changed = a_few(trace.changed, MAX_LINES, separator="; ") or "nothing that a stage reads"
    rows = {
        first: f"{_named(source)}, {source.author}, {source.when:%Y-%m-%d %H:%M} UTC",
        "message": f"“{source.message}”" if source.message else "",
        "also in": a_few(map(_named, trace.also), MAX_LINES, separator="; "),
        "current": _current(trace),
        "data": _hashes_text(trace.data),
        "settings": ", ".join(changed_words(settings)),
        "changed": changed if source.parent else "everything: it is the first commit",
        "code": f"commit {source.revision[:SHORT]}: {', '.join(trace.code)}",
        "environment": _hashes_text(trace.environment),
    }
    lines = [title, ""]
    for label, text in rows.items():
        lines += paragraph(text, f"{label:{LABEL}}", " " * LABEL)
    # Whole, to be copied.
    for label, command in zip(("reproduce", "or here"), trace.commands, strict=True):
        lines.append(f"{label:{LABEL}}{command}")
    return "\n".join(lines)


def _named(source: Source) -> str:
    short = source.revision[:SHORT]
    return f"{source.kind} {source.name}" + (f" ({short})" if source.name != short else "")


def _current(trace: Trace) -> str:
    recorded = "HEAD records it" if trace.current else "HEAD records something else"
    if trace.in_workspace is None:
        return "HEAD records the same results" if trace.current else recorded
    here = "the workspace has it" if trace.in_workspace else "the workspace doesn't have it"
    return f"{recorded}; {here}"


def _hashes_text(files: Mapping[str, str]) -> str:
    return ", ".join(f"{path} {md5[:DIGITS]}" for path, md5 in files.items())
