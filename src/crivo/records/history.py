"""`History`: every experiment that a clone knows: DVC's experiments, branches, tags, commits."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from crivo.core import parsing
from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.records import reading
from crivo.records.comparability import is_part
from crivo.records.counted import count_on, read_counted
from crivo.records.exchange import unknown_trials
from crivo.records.ledger import KNOWN, NO_LEDGER, Ledger, add, entry, read_ledger
from crivo.records.reading import Unusable
from crivo.records.record import ABOUT, FILES, JACKKNIFE, PARAMS, RESULT, Record
from crivo.repository import lock
from crivo.repository.commits import (
    EXPERIMENTS,
    SHORT,
    Origin,
    commits_changing,
    experiment_origins,
    keep_experiments,
    kept_origins,
    named_commits,
    origins_of,
)
from crivo.repository.git import Repository, open_repository
from crivo.repository.lock import LOCK, PIPELINE
from crivo.repository.remembered import NO_MEMORY, Remembered, code_of, digest


@dataclass(frozen=True)
class History:
    """Every record of a clone: `trials`, and `commits`, named ones first.

    `removed`: trials that were counted and then removed, here or in the clone that shared them;
    they can't be named, and still count. Of those that only the table of removed trials knows, the
    numbers are lost. `kept`: the commits of all trials that git keeps. `remembered`: what was
    worked out before. `ledger`: in which order all became known.
    """

    repository: Repository
    trials: tuple[Record, ...] = ()
    commits: tuple[Record, ...] = ()
    removed: tuple[Record, ...] = ()
    kept: frozenset[str] = frozenset()
    remembered: Remembered = NO_MEMORY
    ledger: Ledger = NO_LEDGER
    _read: dict[tuple[str, str], Record] = field(default_factory=dict, repr=False)

    @property
    def records(self) -> tuple[Record, ...]:
        """All records that can be named."""
        return self.trials + self.commits

    @property
    def tips(self) -> tuple[Record, ...]:
        """The commits that a branch or a tag names."""
        return tuple(one for one in self.commits if one.name != one.origin.revision[:SHORT])

    @property
    def counted(self) -> tuple[Record, ...]:
        """All records that a correction counts: the points of a learning curve choose nothing."""
        return tuple(one for one in self.records + self.removed if not is_part(one))

    def keep_known(self, *, judged: bool) -> None:
        """Write down, in the order that counts, which evaluations this clone knows by now.

        `judged`: models were compared. Until then, a clone without trials writes nothing, because
        the trials that it fetches later are older.
        """
        if not (judged or self.trials or self.kept or self.ledger.own):
            return
        known = self.ledger.revisions
        new = [one for one in self.counted if one.origin.revision not in known]
        new.sort(key=lambda one: one.moment)
        now = time.time()
        with suppress(OSError):  # where nothing can be written, nothing is kept
            add(
                self.repository,
                *(entry(KNOWN, one.origin.revision, one.evaluation, now) for one in new),
            )

    def count_on(self) -> bool:
        """Have the committed table count all experiments; return whether it changed."""
        return count_on(self.repository.project, (*self.trials, *self.removed))

    @cached_property
    def head(self) -> str | None:
        """The hash of the commit that is checked out."""
        return self.repository.commit("HEAD")

    def find(self, name: str) -> Record:
        """Return the record of an experiment, branch, tag or commit; CrivoError for none."""
        trials = [record for record in self.trials if name in (record.name, reference(record))]
        here = [record for record in trials if record.origin.parent == self.head]
        trials = here or trials
        if len(trials) > 1:
            raise CrivoError(
                f"There are {len(trials)} experiments named {name!r}, from different commits; give "
                f"the full name of one: {', '.join(reference(record) for record in trials)}."
            )
        if trials:
            (record,) = trials
            return record
        revision = self.repository.commit(name)
        if revision is None:
            known = [record.name for record in self.trials + self.tips]
            raise CrivoError(
                f"There is no experiment, branch, tag or commit {name!r}"
                f"{did_you_mean(name, known) or '.'} {unknown_trials(self.repository)}".rstrip()
            )
        return self.at(revision, name)

    def at(self, revision: str, name: str) -> Record:
        """Return the record of a commit by its hash; one with its evaluation, if there is one."""
        if (revision, name) not in self._read:
            (record,) = read_commits(self.repository, {revision: name}, self.ledger)
            known = self._by_revision.get(revision) or self._by_key.get(record.key)
            self._read[revision, name] = known or record
        return self._read[revision, name]

    @cached_property
    def _by_revision(self) -> dict[str, Record]:
        return {one.origin.revision: one for one in reversed(self.records)}

    @cached_property
    def _by_key(self) -> dict[tuple[str, ...], Record]:
        """The named commits and those that made an evaluation, by what tells it from others."""
        return {one.key: one for one in reversed(self.commits) if one.key}

    def parent(self, record: Record) -> Record | None:
        """Return the record that an experiment or commit started from, if the clone has it."""
        revision = record.origin.parent
        if revision is None or self.repository.commit(revision) is None:
            return None
        return self.at(revision, revision[:SHORT])

    def results_before(self, record: Record) -> Iterator[Record]:
        """Give the results of the commits before that of a record, the latest first.

        Commits that change no result are passed over.
        """
        revision: str | None = record.origin.revision
        paths = [f"{self.repository.prefix}{path}" for path in RESULT]
        while revision:
            last_change = ("rev-list", "-1", "--first-parent", revision, "--", *paths)
            made = self.repository.git(*last_change, check=False)
            revision = self.repository.commit(f"{made.strip()}^") if made else None
            if revision:
                yield self.at(revision, revision[:SHORT])


def reference(record: Record) -> str:
    """Return the full name of git's reference to an experiment."""
    parent = record.origin.parent or ""
    return f"{EXPERIMENTS}/{parent[:2]}/{parent[2:]}/{record.name}"


def read_history(folder: Path = Path()) -> History:
    """Return every record of the project in a folder; CrivoError for a folder inside of one."""
    repository = open_repository(folder)
    _require_project(repository)
    ledger = read_ledger(repository)
    trials = read_records(repository, experiment_origins(repository), ledger)
    known = {record.origin.revision for record in trials}
    kept = [*kept_origins(repository)]
    gone = [one for one in kept if one.revision not in known]
    removed = read_records(repository, gone, ledger)
    known |= {record.origin.revision for record in removed}
    counted = read_counted(repository.project)
    removed += [replace(one, ledger=ledger) for one in counted if one.origin.revision not in known]
    origins = [*named_commits(repository), *commits_changing(repository, ABOUT, JACKKNIFE)]
    origins = [one for one in origins if one.revision not in known]
    commits = _distinct(read_records(repository, origins, ledger))
    remembered = Remembered(repository.project)
    _parse_once([*trials, *commits, *removed], remembered)
    return History(
        repository,
        tuple(trials),
        tuple(commits),
        tuple(removed),
        kept=frozenset(one.revision for one in kept),
        remembered=remembered,
        ledger=ledger,
    )


def _require_project(repository: Repository) -> None:
    """Raise CrivoError where a project has its pipeline above: nothing would be found here."""
    here = repository.project
    if (here / PIPELINE).exists():
        return
    for place in here.parents:
        if place.is_relative_to(repository.top) and (place / PIPELINE).is_file():
            raise CrivoError(f"{here} is inside the project {place}; run this there.")


def keep_trials(history: History) -> None:
    """Have git keep every experiment, so that it counts although it is removed."""
    keep_experiments(history.repository, [record.origin for record in history.trials])
    history.keep_known(judged=False)


def read_commits(
    repository: Repository, names: dict[str, str], ledger: Ledger = NO_LEDGER
) -> list[Record]:
    """Return the records of commits, hash to name; those that the clone lacks are left out."""
    found = repository.hashes(f"{revision}^{{commit}}" for revision in names)
    present = {commit: names[commit] for commit in found.values() if commit in names}
    return read_records(repository, origins_of(repository, present), ledger)


def read_records(
    repository: Repository, origins: Iterable[Origin], ledger: Ledger = NO_LEDGER
) -> list[Record]:
    """Return what git holds of each origin, all files in one go."""
    origins = list(origins)
    blobs = repository.blobs((one.revision, path) for one in origins for path in FILES)
    records = []
    for one in origins:
        keys = {path: (one.revision, path) for path in FILES}
        files = {path: blobs[key] for path, key in keys.items() if key in blobs}
        records.append(Record(one, files, ledger))
    return records


def _distinct(records: Iterable[Record]) -> list[Record]:
    """Return one record for each evaluation: commits that only carry it along are left out.

    It has the first name that was met and the oldest commit, which made it.
    """
    records_by_key: dict[tuple[str, ...], Record] = {}
    for record in records:
        if not record.key:
            continue
        first = records_by_key.setdefault(record.key, record)
        origin = replace(record.origin, name=first.name)
        records_by_key[record.key] = replace(record, origin=origin)
    return list(records_by_key.values())


def _parse_once(records: Iterable[Record], remembered: Remembered) -> None:
    """Give records their settings and locks, as they were read before or are read now."""
    code = code_of(parsing, reading, lock)
    files = [
        (record, path, digest(code, path, record.files[path].hash))
        for record in records
        for path in (PARAMS, LOCK)
        if path in record.files
    ]
    known = remembered.recall({key for _, _, key in files})
    new = {}
    for record, path, key in files:
        if key in known:
            record.said[path] = known[key]
        else:
            with suppress(Unusable):
                new[key] = record.content(path)
    remembered.keep(new)
