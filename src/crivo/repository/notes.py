"""What people say of experiments, kept in git beside the references that keep trials and costs.

Each thing said is an object of its own below the hash of the experiment's commit. Nothing is ever
written over, so two people's notes never conflict, and `git fetch origin
'refs/crivo/*:refs/crivo/*'` brings a colleague's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from math import isfinite
from typing import Literal, NamedTuple, get_args

from crivo.core.parsing import ParseError, parse_json
from crivo.repository.git import Repository

NOTES = "refs/crivo/notes"

Kind = Literal["note", "forget", "star", "unstar"]


class Entry(NamedTuple):
    """One thing said of an experiment: a note, that earlier notes don't count, a star, or no star.

    `seconds`: when it was said, since 1970.
    """

    seconds: float
    kind: Kind
    author: str
    text: str = ""


def keep_entry(repository: Repository, revision: str, entry: Entry) -> None:
    """Keep what somebody says of the experiment that a commit records."""
    blob = repository.write_blob(json.dumps(entry._asdict(), ensure_ascii=False, sort_keys=True))
    repository.git("update-ref", f"{NOTES}/{revision}/{blob}", blob)


def kept_entries(repository: Repository) -> dict[str, list[Entry]]:
    """Return what was said, by the commit that records the experiment, the oldest first.

    What isn't one of these entries is passed over: references come from anybody.
    """
    found: dict[str, list[Entry]] = {}
    for name, text in repository.texts_below(NOTES).items():
        revision = name.partition("/")[0]
        for entry in _entries(text):
            found.setdefault(revision, []).append(entry)
    return {revision: sorted(entries) for revision, entries in found.items()}


def note_refs(repository: Repository, revision: str) -> list[str]:
    """Return the references of all that was said of an experiment."""
    return repository.lines("for-each-ref", "--format=%(refname)", f"{NOTES}/{revision}")


def author_of(repository: Repository) -> str:
    """Return the name that git would write into a commit made now; empty where it knows none."""
    ident = repository.git("var", "GIT_AUTHOR_IDENT", check=False)
    return ident.partition(" <")[0].strip()


def _entries(content: bytes) -> Iterator[Entry]:
    with suppress(ParseError, KeyError, TypeError, ValueError):
        values = parse_json(content)
        entry = Entry(
            float(values["seconds"]), values["kind"], str(values["author"]), str(values["text"])
        )
        if entry.kind in get_args(Kind) and isfinite(entry.seconds):
            yield entry
