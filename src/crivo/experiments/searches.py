"""Which search an experiment is a trial of, as git keeps it beside the trials."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_json
from crivo.repository.git import Repository, open_repository
from crivo.repository.searches import kept_searches


def searches_of(repository: Repository) -> dict[str, str]:
    """Return the name of the search that made an experiment, by the experiment's commit.

    An experiment of two searches is the first's, in the order of their names.
    """
    found: dict[str, str] = {}
    for name, text in sorted(kept_searches(repository).items()):
        for revision in _trials(text):
            found.setdefault(revision, name)
    return found


def _trials(content: str) -> list[str]:
    """Return the commits of a search's trials; none where the text can't be read."""
    try:
        return [str(one["revision"]) for one in parse_json(content)["trials"] if one["revision"]]
    except (ParseError, TypeError, LookupError):
        return []


def made_by(folder: Path, names: Sequence[str]) -> frozenset[str]:
    """Return the commits of the experiments that searches made; CrivoError for an unknown name."""
    known = searches_of(open_repository(folder))
    require_searches(known, names)
    return frozenset(revision for revision, name in known.items() if name in names)


def require_searches(known: dict[str, str], names: Sequence[str]) -> None:
    """Raise CrivoError for a name that no experiment's search has."""
    there = sorted(set(known.values()))
    for name in names:
        if name not in there:
            told = f"there is: {', '.join(there)}" if there else "there is none"
            raise CrivoError(f"No experiment belongs to a search {name!r}; {told}.")
