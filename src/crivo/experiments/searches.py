"""Which search an experiment is a trial of, as git keeps it beside the trials."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_json
from crivo.repository.git import Repository, open_repository

# A reference for each search points to a JSON text that lists its `trials`, each with the
# `revision` that records it.
SEARCHES = "refs/crivo/searches"


def searches_of(repository: Repository) -> dict[str, str]:
    """Return the name of the search that made an experiment, by the experiment's commit.

    An experiment of two searches is the first's, in the order of their names.
    """
    lines = repository.lines("for-each-ref", "--format=%(refname) %(objectname)", SEARCHES)
    names = [line.partition(" ") for line in lines]
    found: dict[str, str] = {}
    blobs = repository.objects([blob for _, _, blob in names]) if names else []
    for (ref, _, _), blob in zip(names, blobs, strict=True):
        for revision in _trials(blob.content if blob else b""):
            found.setdefault(revision, ref.removeprefix(f"{SEARCHES}/"))
    return found


def _trials(content: bytes) -> list[str]:
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
