"""Notes and stars of experiments: what people made of them, kept in git and shared with them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.records.history import History, read_history
from crivo.repository.commits import LAST
from crivo.repository.notes import Entry, Kind, author_of, keep_entry, kept_entries

MAX_LENGTH = 2000


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
    return {
        revision: _said(entries) for revision, entries in kept_entries(history.repository).items()
    }


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
    entry = Entry(round(time.time(), 3), kind, author_of(repository), text)
    keep_entry(repository, revision, entry)
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
