"""Finds the commits and experiments that hold a file, by its hash in every `dvc.lock`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError
from crivo.records.history import History, read_commits, read_records
from crivo.records.reading import Unusable
from crivo.records.record import Record
from crivo.repository.commits import commits_changing, named_commits
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK, Lock, LockedFile, lock_of, read_lock

# Shorter ones belong to many files.
SHORTEST = 6
HASH = re.compile(rf"[0-9a-f]{{{SHORTEST},32}}(\.dir)?")


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
