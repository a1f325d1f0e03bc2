"""The ledger: an append-only log of each clone, with evaluations, notes, removals, times, searches.

An entry says when something happened, of which kind it is and what it is about: an evaluation that
became known, a note or star, an experiment's removal, how long a trial or a model took, a search
and its trials. A clone writes its own log alone, a file of git's folder that its worktrees share.
`crivo share` sends a copy below `refs/crivo/ledger`, and readers take the union of all.

A verdict depends on what was known when it was given. An experiment that is fetched later stands
after what is known here, and its own verdict goes by the ledger that knew it first.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from math import inf
from typing import Any, NamedTuple, TypeVar

from pydantic import FiniteFloat, TypeAdapter, ValidationError

from crivo.core.artifacts import write_text
from crivo.core.errors import CrivoError
from crivo.repository.commits import LEDGERS
from crivo.repository.git import GitObject, Repository

FILE = "crivo-ledger"
# The kinds of entries: of a commit, that its evaluation became known, what people said of it, that
# it was removed, and how many seconds its trial took; of a model's file, how long fitting and
# predicting took (a trial that finds its model in DVC's cache has its times, too); of a search,
# how it began and what became of a trial.
KNOWN, REMARK, REMOVED, COST, TIMES = "known", "remark", "removed", "cost", "times"
SEARCH, TRIED = "search", "tried"
# Where versions before this one kept these, each in a reference of its own.
FORMER_REMOVALS = "crivo-removals"
FORMER = tuple(f"refs/crivo/{name}" for name in ("notes", "costs", "times", "searches"))

LINE = TypeAdapter(tuple[FiniteFloat, str, str, Any])
T = TypeVar("T")


class Entry(NamedTuple):
    """Something that happened: when, of which kind, to what, and a value as JSON."""

    seconds: float
    kind: str
    of: str
    text: str


def entry(kind: str, of: str, value: Any, seconds: float | None = None) -> Entry:
    """Return what happened now, or at another moment."""
    moment = time.time() if seconds is None else seconds
    return Entry(moment, kind, of, json.dumps(value))


@dataclass(frozen=True)
class Ledger:
    """The log of this clone, `own`, and those of others by their names."""

    own: tuple[Entry, ...] = ()
    others: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)

    def told(self, kind: str, form: type[T]) -> list[tuple[Entry, T]]:
        """Return all entries of a kind with their values, the oldest first.

        What has another form is passed over: entries come from anybody.
        """
        every = (one for one in chain(self.own, *self.others.values()) if one.kind == kind)
        found, adapter = [], TypeAdapter(form)
        for one in sorted(dict.fromkeys(every), key=lambda one: one.seconds):
            with suppress(ValidationError):
                found.append((one, adapter.validate_json(one.text)))
        return found

    @property
    def seconds(self) -> dict[str, float]:
        """How long each trial took, as far as that is kept, by its commit."""
        return {one.of: value for one, value in self.told(COST, float) if 0 <= value < inf}

    @property
    def times(self) -> dict[str, dict[str, float]]:
        """The seconds to `fit` a model and to `predict` one row among many, by the model's hash.

        The times that were kept first stay.
        """
        found: dict[str, dict[str, float]] = {}
        for one, value in self.told(TIMES, dict[str, float]):
            found[one.of] = {**value, **found.get(one.of, {})}
        return found

    @cached_property
    def revisions(self) -> frozenset[str]:
        """The commits whose evaluations stand in this clone's ledger."""
        return frozenset(one.of for one in _known(self.own))

    @cached_property
    def _order(self) -> dict[str, int]:
        """Every evaluation's place: in this clone's order, then those that only others know."""
        # What became known at one moment stays in its ledger's order.
        fetched = sorted(_known(chain(*self.others.values())), key=lambda one: one.seconds)
        names = dict.fromkeys(one.text for one in (*_known(self.own), *fetched))
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def _first(self) -> dict[str, tuple[Entry, str]]:
        """The ledger that knew an evaluation first; empty for this clone's."""
        found: dict[str, tuple[Entry, str]] = {}
        for name, entries in {"": self.own, **self.others}.items():
            for one in _known(entries):
                if one.text not in found or one.seconds < found[one.text][0].seconds:
                    found[one.text] = (one, name)
        return found

    def place(self, evaluation: str) -> int:
        """Return an evaluation's place in the order; one that stands nowhere is the last."""
        return self._order.get(evaluation, len(self._order))

    def known_before(self, evaluation: str) -> tuple[str, ...] | None:
        """Return what was known where an evaluation was first known; None: that was here."""
        _, name = self._first.get(evaluation, (None, ""))
        if not name:
            return None
        names = dict.fromkeys(one.text for one in _known(self.others[name]))
        return tuple(names)[: [*names].index(evaluation)]


NO_LEDGER = Ledger()


def _known(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the evaluations that became known, each by its digest."""
    return (one._replace(text=one.text.strip('"')) for one in entries if one.kind == KNOWN)


def read_ledger(repository: Repository) -> Ledger:
    """Return the ledgers of this clone and of those that were fetched."""
    texts = repository.texts_below(LEDGERS, *FORMER)
    former = {ref: texts.pop(ref) for ref in [*texts] if ref.startswith(FORMER)}
    own = _take_over(repository, former)
    name = _name(_text_of_own(repository))
    others = {ref.rpartition("/")[2]: _entries(one.content.decode(errors="replace"))
              for ref, one in texts.items()}  # fmt: skip
    return Ledger(own, {key: entries for key, entries in others.items() if key != name})


def add(repository: Repository, *entries: Entry) -> None:
    """Add entries to this clone's ledger, in their order."""
    if not entries:
        return
    text = _text_of_own(repository)
    start = "" if text else f"ledger {uuid.uuid4().hex}"
    if not text.endswith("\n"):
        start += "\n"
    added = start + "".join(map(_line, entries))
    # One write, so that two processes' lines don't mix.
    with repository.shared_place(FILE).open("ab", buffering=0) as file:
        file.write(added.encode())


def own_ledger(repository: Repository) -> tuple[str, str]:
    """Return the reference below which this clone's ledger is shared, and its text."""
    text = _text_of_own(repository)
    return f"{LEDGERS}/{_name(text)}", text


def take_new_name(repository: Repository) -> None:
    """Give this clone's ledger another name: it was copied with its clone, and has two writers."""
    _, _, lines = _text_of_own(repository).partition("\n")
    write_text(repository.shared_place(FILE), f"ledger {uuid.uuid4().hex}\n{lines}")


def _text_of_own(repository: Repository) -> str:
    with suppress(OSError):
        return repository.shared_place(FILE).read_text(encoding="utf-8", errors="replace")
    return ""


def _name(text: str) -> str:
    first = text.partition("\n")[0].removeprefix("ledger ")
    return first if first.isalnum() else "unnamed"


def _line(one: Entry) -> str:
    return f"[{one.seconds!r}, {json.dumps(one.kind)}, {json.dumps(one.of)}, {one.text}]\n"


def _entries(text: str) -> tuple[Entry, ...]:
    """Return what a ledger says; a line that is none, such as half of one, is passed over."""
    found = []
    for line in text.split("\n"):
        with suppress(ValueError):  # pydantic's is one
            if line.startswith("["):
                seconds, kind, of, value = LINE.validate_json(line)
                found.append(entry(kind, of, value, seconds))
            else:  # as earlier versions wrote what a clone knew
                moment, revision, evaluation = line.split(" ")
                found.append(entry(KNOWN, revision, evaluation, float(moment)))
    return tuple(found)


# --- what versions before this one kept elsewhere ------------------------------------------------


def _take_over(repository: Repository, former: Mapping[str, GitObject]) -> tuple[Entry, ...]:
    """Return this clone's entries, with what stands in other places, which is moved here.

    It goes from there once it is here, and what is here already isn't added again: a kill loses
    nothing. Where nothing can be written, it stays.
    """
    own = _entries(_text_of_own(repository))
    file = repository.shared_place(FORMER_REMOVALS)
    if not former and not file.exists():
        return own
    moved = [one for ref, blob in former.items() for one in _former(ref, blob.content)]
    with suppress(OSError):
        moved += _former_removals(file.read_text(encoding="utf-8", errors="replace"))
    known = {*own}
    new = [one for one in moved if one not in known]
    with suppress(OSError, CrivoError):
        add(repository, *new)
        repository.update_references(f"delete {ref} {one.hash}" for ref, one in former.items())
        file.unlink()
    return (*own, *new)


def _former(ref: str, content: bytes) -> list[Entry]:
    """Return what a reference's text says; nothing where it has another form."""
    store, _, of = ref.removeprefix("refs/crivo/").partition("/")
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        value = json.loads(content)
        if store == "notes":
            seconds = TypeAdapter(FiniteFloat).validate_python(value.pop("seconds"))
            return [entry(REMARK, of.partition("/")[0], value, seconds)]
        if store == "searches":
            trials = value.pop("trials")
            tried = [entry(TRIED, of, one, 0) for one in trials]
            return [entry(SEARCH, of, {**value, "trials": []}, 0), *tried]
        return [entry({"costs": COST, "times": TIMES}[store], of, value, 0)]
    return []


def _former_removals(text: str) -> Iterator[Entry]:
    for words in (line.split(" ", 2) for line in text.splitlines()):
        with suppress(ValueError):  # the first versions wrote the moments alone
            stamp, revision, ref = words
            moment = datetime.strptime(stamp, "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)
            yield entry(REMOVED, revision, ref, moment.timestamp())
