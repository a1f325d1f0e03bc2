"""The name of a search that begins: one of its own, which no other process gets."""

from __future__ import annotations

import re
import secrets

from crivo.core.errors import CrivoError
from crivo.records.history import History
from crivo.repository.searches import kept_searches
from crivo.trials.search.journal import claim, journals

NAME = re.compile(r"[\w][\w.=+-]*")


def require_free(history: History, name: str | None) -> None:
    """Raise CrivoError for a name that git doesn't take, or that a search has."""
    if name is None:
        return
    if not NAME.fullmatch(name) or ".." in name or name.endswith((".lock", ".")):
        raise CrivoError(f"--name is {name!r}; expected letters, digits, -, _, ., + and =.")
    if name in _names(history):
        raise CrivoError(
            f"There is a search {name} already; `crivo search --resume {name}` goes on with it, "
            "or give another name."
        )


def take_name(history: History, name: str | None) -> str:
    """Take a name for a search, which no other process gets then, and return it."""
    while True:
        taken = _names(history)
        numbers = (f"search-{number}" for number in range(1, len(taken) + 2))
        found = name or next(one for one in numbers if one not in taken)
        require_free(history, name)
        if claim(history.repository.project, found):
            return found


def new_mark() -> str:
    """Return what tells a search from all others, those of other people with them."""
    return secrets.token_hex(4)


def _names(history: History) -> set[str]:
    kept = {key.name for key in kept_searches(history.repository)}
    return kept | {*journals(history.repository.project)}
