"""`crivo trace`: a file's commit or experiment, data, settings, code and environment; and back.

from crivo.provenance import trace
trace("models/model.skops").source.name
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from crivo.comparison.layout import paragraph
from crivo.core.artifacts import MODEL
from crivo.core.cache import md5_of
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError
from crivo.core.results import result
from crivo.core.wording import a_few
from crivo.modelfile.archives import read_members
from crivo.preparation.rawdata import content_hash
from crivo.records.changed_files import input_differences
from crivo.records.comparability import LOCKFILE
from crivo.records.history import History, read_commits, read_history, read_records
from crivo.records.reading import Unusable
from crivo.records.record import PARAMS, Record
from crivo.records.settings import changed_words
from crivo.repository.commits import SHORT, commits_changing, named_commits
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK, Lock, LockedFile, covers, lock_of, read_lock

LABEL = 13
DIGITS = 12
MAX_LINES = 8
# Shorter hashes belong to many files.
SHORTEST = 6
HASH = re.compile(rf"[0-9a-f]{{{SHORTEST},32}}(\.dir)?")


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


def trace(what: str, folder: str | Path = ".") -> Trace:
    """Return where a file comes from, or what an experiment is made of.

    `what` is the path of a file, an MD5 hash as DVC writes it (at least six digits), or an
    experiment, branch, tag or commit. A CrivoError is raised if the commits and experiments of
    this clone don't include it.
    """
    named = Path(folder, what)
    history = read_history(Path(folder))
    project, head = history.repository.project, lock_at_head(history.repository)
    out = _recorded(head, project, named)
    place = project / out.path if out else named
    digest = (file_hash(place) if out or place.is_file() else None) or (out.md5 if out else "")
    if not digest and HASH.fullmatch(what):
        digest = what
    # Another output may have the same bytes; the one that was named comes first.
    holders = lookup(history, digest, out.path) if out else []
    holders = holders or (lookup(history, digest) if digest else [])
    if not holders and digest not in ("", what):
        raise CrivoError(
            f"{what} (md5 {digest}) isn't in any commit or experiment of this clone. If a run in "
            "this workspace made it, `dvc exp save` keeps it as an experiment; otherwise, `crivo "
            "fetch` fetches the experiments of others."
        )
    return _trace(history, what, head, holders)


def file_hash(path: Path) -> str | None:
    """Return the hash of a file or folder as DVC computes it; None for nothing there.

    A file of `crivo export` has that of the model in it.
    """
    with suppress(Exception):  # zipfile raises many kinds: then it is a file like any other
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


def _trace(history: History, what: str, head: Lock, holders: list[Holder]) -> Trace:
    """Return what the first holder of a file is made of, or the experiment that was asked for.

    Of a file, that is the stage that makes it, and those that this one needs.
    """
    first = holders[0] if holders else None
    record = first.record if first else exact_record(history, what)
    stage = first.stage if first and first.made else ""
    lock = recorded_lock(record)
    made = lock.up_to(stage) if stage else lock
    read = {path: file.md5 for path, file in made.sources.items()}
    code = {path: md5 for path, md5 in read.items() if path.startswith("src/")}
    sources = {one.record.origin.revision: _source(one.record) for one in holders}
    sources.pop(record.origin.revision, None)
    found = Trace(
        what=what,
        source=_source(record),
        current=lock == head,
        data={path: md5 for path, md5 in read.items() if path not in (*code, LOCKFILE)},
        settings={
            key: value for one in made.stages.values() for key, value in one.settings.items()
        },
        changed=_changed_from_parent(history, record),
        code=code,
        environment=_environment(record, read.get(LOCKFILE)),
        commands=_commands(history, record, stage),
        also=tuple(sources.values()),
    )
    if first is None:
        return found
    file = first.file
    return replace(
        found,
        output=file,
        role=f"{'made' if first.made else 'read'} by {first.stage}",
        current=any(file.md5 == one.md5 for one in (head.outs | head.sources).values()),
        in_workspace=file_hash(history.repository.project / file.path) == file.md5,
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
    return tuple(input_differences(history, before, record))


def _commands(history: History, record: Record, stage: str) -> tuple[str, ...]:
    """Return the commands that reproduce a record's results; those of one stage if named."""
    origin = record.origin
    names = [one.name for one in history.trials]
    unique = origin.trial and names.count(origin.name) == 1
    name = origin.name if unique else origin.revision[:SHORT]
    take = f"dvc exp apply {name}" if unique else f"git checkout {name} && dvc checkout"
    return (f"crivo verify {name}", f"{take} && dvc repro --force {stage}".rstrip())


# --- who holds a file -------------------------------------------------------------------------


@dataclass(frozen=True)
class Holder:
    """A commit or experiment whose `dvc.lock` names a file, and the stage that made or read it."""

    record: Record
    file: LockedFile
    stage: str
    made: bool


def lookup(history: History, digest: str, path: str | None = None) -> list[Holder]:
    """Return who holds the file with a hash (or its first digits), the oldest first.

    Those that made the file as an output count; where there are none, those that read it. `path`
    narrows the search to one output. CrivoError: the digits belong to several files.
    """
    matches = [holder for record in _records(history) for holder in _in(record, digest, path)]
    matches = [one for one in matches if one.made] or matches
    hashes = {one.file.md5: one.file.path for one in matches}
    if len(hashes) > 1:
        first_hashes = ", ".join(f"{md5[:12]} ({name})" for md5, name in list(hashes.items())[:4])
        raise CrivoError(
            f"{len(hashes)} hashes begin with {digest}: {first_hashes}; give more digits."
        )
    return sorted(matches, key=lambda one: one.record.origin.seconds)


def _records(history: History) -> list[Record]:
    """Return commits that changed `dvc.lock`, named commits, and all experiments, each once."""
    repository = history.repository
    named = {one.revision: one for one in named_commits(repository)}
    changed = {one.revision: one for one in reversed(commits_changing(repository, LOCK))}
    trials = {one.origin.revision for one in history.trials}
    commits = [one for key, one in (changed | named).items() if key not in trials]
    return [*read_records(repository, commits), *history.trials]


def _in(record: Record, digest: str, path: str | None) -> Iterator[Holder]:
    """Yield the places of a record's lock where the hash stands; each file once."""
    if LOCK not in record.files or digest.encode() not in record.files[LOCK].content:
        return  # far cheaper than reading the YAML
    try:
        lock = lock_of(record.lock)
    except ParseError:
        return
    found: dict[tuple[str, bool], Holder] = {}
    for stage in lock.stages.values():
        for made, files in ((True, stage.outs), (False, stage.deps)):
            for file in files.values():
                if file.md5.startswith(digest) and path in (None, file.path):
                    found.setdefault((file.path, made), Holder(record, file, stage.name, made))
    yield from found.values()


def exact_record(history: History, name: str) -> Record:
    """Return an experiment's record, or that of the very commit that a name means.

    `History.find` may give an older commit with the same evaluation. CrivoError for none.
    """
    record = history.find(name)
    revision = history.repository.commit(name)
    if record.origin.trial or revision in (None, record.origin.revision):
        return record
    (exact,) = read_commits(history.repository, {revision or "": name})
    return exact


def lock_at_head(repository: Repository) -> Lock:
    """Return the lock of the commit that is checked out; an empty one when it has none."""
    content = repository.content("HEAD", LOCK)
    return Lock({}) if content is None else read_lock(content)


def recorded_lock(record: Record) -> Lock:
    """Return the `dvc.lock` of a record; CrivoError when it has none that can be read."""
    try:
        return lock_of(record.content(LOCK))
    except (Unusable, ParseError) as reason:
        raise CrivoError(
            f"{record.name} can't be traced: {reason}; run `dvc repro` there and commit {LOCK}."
        ) from None


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
    recorded = f"HEAD records {'it' if trace.current else 'something else'}"
    if trace.in_workspace is None:
        return recorded
    return f"{recorded}; the workspace {'has it' if trace.in_workspace else 'lacks it'}"


def _hashes_text(files: Mapping[str, str]) -> str:
    return ", ".join(f"{path} {md5[:DIGITS]}" for path, md5 in files.items())
