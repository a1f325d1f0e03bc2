"""`crivo note`: notes and stars of experiments, kept in the ledger and shared with it.

Each is an entry of its own. Nothing is ever written over, so two people's notes never conflict.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from crivo.core.errors import CrivoError
from crivo.records.history import History, read_history
from crivo.records.ledger import REMARK, add, entry
from crivo.repository.commits import LAST

MAX_LENGTH = 2000

Kind = Literal["note", "forget", "star", "unstar"]


@dataclass(frozen=True)
class Remark:
    """A thing said of an experiment: a note, that earlier notes don't count, a star or no star."""

    kind: Kind
    author: str
    text: str = ""


@dataclass(frozen=True)
class Noted:
    """What people said of an experiment: whether it has a star, and its notes, the oldest first.

    Each note ends with its author and date.
    """

    starred: bool = False
    notes: tuple[str, ...] = ()


NOTHING = Noted()


def noted(history: History) -> dict[str, Noted]:
    """Return what was said of each experiment, by the hash of the commit that records it."""
    found: dict[str, Noted] = {}
    for one, what in history.ledger.told(REMARK, Remark):
        said = found.get(one.of, NOTHING)
        if what.kind == "note":
            when = datetime.fromtimestamp(min(max(one.seconds, 0), LAST), UTC)
            by = ", ".join(filter(None, [what.author, f"{when:%Y-%m-%d}"]))
            said = replace(said, notes=(*said.notes, f"{what.text} ({by})"))
        elif what.kind == "forget":
            said = replace(said, notes=())
        else:
            said = replace(said, starred=what.kind == "star")
        found[one.of] = said
    return found


def remark(name: str, kind: Kind, text: str, folder: Path = Path()) -> None:
    """Say something of an experiment, branch, tag or commit.

    CrivoError: a note is empty or longer than 2,000 characters.
    """
    text = " ".join(text.split())
    if kind == "note" and not 0 < len(text) <= MAX_LENGTH:
        raise CrivoError(
            f"The note has {len(text):,} characters; expected 1 to {MAX_LENGTH:,}, as in "
            f'`crivo note {name} "helps only in July"`.'
        )
    history = read_history(folder)
    revision, repository = history.find(name).origin.revision, history.repository
    repository.require_identity()
    author = repository.git("var", "GIT_AUTHOR_IDENT").partition(" <")[0].strip()
    add(repository, entry(REMARK, revision, asdict(Remark(kind, author, text))))


def said_of(name: str, folder: Path = Path()) -> Noted:
    """Return what is said of an experiment, branch, tag or commit."""
    history = read_history(folder)
    return noted(history).get(history.find(name).origin.revision, NOTHING)
