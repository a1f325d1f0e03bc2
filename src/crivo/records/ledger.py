"""In which order evaluations became known: to this clone, and where others recorded theirs.

A verdict depends on what was known when it was given. Each clone therefore writes down, in a file
of git's folder that is only ever added to, what it has seen; `crivo share` sends a copy below
`refs/crivo/ledger`, one for each clone. An experiment that is fetched later stands after what is
known here, and its own verdict goes by the ledger that knew it first.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from crivo.core.artifacts import write_text
from crivo.repository.commits import LEDGERS
from crivo.repository.git import Repository

FILE = "crivo-ledger"


class Line(NamedTuple):
    """An evaluation that became known: when, the commit that holds it, and what it is."""

    seconds: float
    revision: str
    evaluation: str


@dataclass(frozen=True)
class Ledger:
    """What became known to this clone, `own`, and to others, by their names."""

    own: tuple[Line, ...] = ()
    others: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)

    @cached_property
    def revisions(self) -> frozenset[str]:
        """The commits that stand in this clone's ledger."""
        return frozenset(line.revision for line in self.own)

    @cached_property
    def _order(self) -> dict[str, int]:
        """Every evaluation's place: in this clone's order, then those that only others know."""
        # What became known at one moment stays in its ledger's order.
        fetched = sorted(chain.from_iterable(self.others.values()), key=lambda line: line.seconds)
        names = dict.fromkeys(line.evaluation for line in (*self.own, *fetched))
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def _first(self) -> dict[str, tuple[Line, str]]:
        """The ledger that knew an evaluation first; empty for this clone's."""
        found: dict[str, tuple[Line, str]] = {}
        for name, lines in {"": self.own, **self.others}.items():
            for line in lines:
                if line.evaluation not in found or line.seconds < found[line.evaluation][0].seconds:
                    found[line.evaluation] = (line, name)
        return found

    def place(self, evaluation: str) -> int:
        """Return an evaluation's place in the order; one that stands nowhere is the last."""
        return self._order.get(evaluation, len(self._order))

    def known_before(self, evaluation: str) -> tuple[str, ...] | None:
        """Return what was known where an evaluation was first known; None: that was here."""
        _, name = self._first.get(evaluation, (None, ""))
        if not name:
            return None
        names = dict.fromkeys(line.evaluation for line in self.others[name])
        return tuple(names)[: [*names].index(evaluation)]


NO_LEDGER = Ledger()


def read_ledger(repository: Repository) -> Ledger:
    """Return the ledgers of this clone and of those that were fetched."""
    text = _text_of_own(repository)
    own, name = _lines(text), _name(text)
    texts = repository.texts_below(LEDGERS)
    others = {key: _lines(text.decode(errors="replace")) for key, text in texts.items()}
    return Ledger(own, {key: lines for key, lines in others.items() if key != name})


def keep_known(repository: Repository, evaluations: Iterable[tuple[str, str]]) -> None:
    """Add evaluations to this clone's ledger, in their order: commit and evaluation of each.

    Where nothing can be written, nothing is kept.
    """
    now = time.time()
    added = "".join(f"{now:.3f} {revision} {name}\n" for revision, name in evaluations)
    if not added:
        return
    text = _text_of_own(repository)
    start = "" if text else f"ledger {uuid.uuid4().hex}"
    if not text.endswith("\n"):
        start += "\n"
    with suppress(OSError), repository.shared_place(FILE).open("a", encoding="utf-8") as file:
        file.write(start + added)


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


def _lines(text: str) -> tuple[Line, ...]:
    """Return what a ledger says; a line that is none, such as half of one, is passed over."""
    found = []
    for words in (line.split(" ") for line in text.splitlines()):
        with suppress(ValueError):
            seconds, revision, evaluation = words
            found.append(Line(float(seconds), revision, evaluation))
    return tuple(found)
