"""Notes and stars of experiments: what people made of them, kept in git and shared with them.

Each thing said is an object of its own below the hash of the experiment's commit. Nothing is ever
written over, so two people's notes never conflict.
"""

from __future__ import annotations

import time
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import FiniteFloat

from crivo.core.errors import CrivoError
from crivo.records.history import History, read_history
from crivo.repository.commits import LAST
from crivo.repository.kept import NOTES, keep, kept

MAX_LENGTH = 2000

Kind = Literal["note", "forget", "star", "unstar"]


@dataclass(frozen=True, order=True)
class Entry:
    """One thing said of an experiment: a note, that earlier notes don't count, a star, or no star.

    `seconds`: when it was said, since 1970.
    """

    seconds: FiniteFloat
    kind: Kind
    author: str
    text: str = ""


@dataclass(frozen=True)
class Note:
    """A note, who wrote it and when."""

    text: str
    author: str
    when: datetime

    def __str__(self) -> str:
        by = ", ".join(filter(None, [self.author, f"{self.when:%Y-%m-%d}"]))
        return f"{self.text} ({by})"


@dataclass(frozen=True)
class Noted:
    """What people said of an experiment: whether it has a star, and its notes, the oldest first."""

    starred: bool = False
    notes: tuple[Note, ...] = ()


NOTHING = Noted()


def noted(history: History) -> dict[str, Noted]:
    """Return what was said of each experiment, by the hash of the commit that records it."""
    entries = defaultdict(list)
    for name, entry in kept(history.repository, NOTES, Entry).items():
        entries[name.partition("/")[0]].append(entry)
    return {revision: _said(sorted(said)) for revision, said in entries.items()}


def add_note(name: str, text: str, folder: Path = Path()) -> Noted:
    """Add a note to an experiment, branch, tag or commit; return what is said of it now.

    CrivoError: the text is empty or longer than 2,000 characters.
    """
    text = " ".join(text.split())
    if not text or len(text) > MAX_LENGTH:
        raise CrivoError(
            f"The note has {len(text):,} characters; expected 1 to {MAX_LENGTH:,}, as in "
            f'`crivo note {name} "helps only in July"`.'
        )
    return _say(name, "note", text, folder)


def forget_notes(name: str, folder: Path = Path()) -> Noted:
    """Take the notes of an experiment away; return what is said of it now."""
    return _say(name, "forget", "", folder)


def set_star(name: str, starred: bool, folder: Path = Path()) -> Noted:
    """Give an experiment a star or take it away; return what is said of it now."""
    return _say(name, "star" if starred else "unstar", "", folder)


def said_of(name: str, folder: Path = Path()) -> Noted:
    """Return what is said of an experiment, branch, tag or commit."""
    history = read_history(folder)
    return noted(history).get(history.find(name).origin.revision, NOTHING)


def _say(name: str, kind: Kind, text: str, folder: Path) -> Noted:
    history = read_history(folder)
    revision, repository = history.find(name).origin.revision, history.repository
    repository.require_identity()
    author = repository.git("var", "GIT_AUTHOR_IDENT").partition(" <")[0].strip()
    entry = Entry(round(time.time(), 3), kind, author, text)
    keep(repository, f"{NOTES}/{revision}/{uuid.uuid4().hex}", asdict(entry))
    return noted(history)[revision]


def _said(entries: Sequence[Entry]) -> Noted:
    starred, notes = False, list[Note]()
    for entry in entries:
        if entry.kind == "note":
            seconds = min(max(entry.seconds, 0), LAST)
            when = datetime.fromtimestamp(seconds, UTC)
            notes.append(Note(entry.text, entry.author, when))
        elif entry.kind == "forget":
            notes.clear()
        else:
            starred = entry.kind == "star"
    return Noted(starred, tuple(notes))
