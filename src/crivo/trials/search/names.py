"""The searches of a clone: each has a name of its own, and one process at a time runs it.

Git keeps a search with the trials that were told, so a killed one goes on from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.records.searches import KeptSearch, keep, searches
from crivo.repository.git import Repository

NAME = re.compile(r"[\w][\w.=+-]*")
# A file for each search that ran here: the last one goes on if none is named.
FOLDER = Path(".dvc/tmp/crivo/searches")
RAN = ".ran"


@contextmanager
def begun(repository: Repository, search: KeptSearch) -> Iterator[KeptSearch]:
    """Begin a search; one without a name gets the first `search-NUMBER` that is free."""
    from filelock import FileLock

    folder = repository.project / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "names.lock"):
        require_free(repository, search.name)
        if not search.name:
            taken = _names(repository)
            numbers = (f"search-{number}" for number in count(1))
            search = replace(search, name=next(one for one in numbers if one not in taken))
        keep(repository, search)
    with _alone(folder, search):
        yield search


@contextmanager
def resumed(repository: Repository, name: str | None) -> Iterator[KeptSearch]:
    """Give a search that ran in this clone, the last one if none is named."""
    folder = repository.project / FOLDER
    kept = {one.key: one for one in searches(repository).values()}
    ran = sorted(folder.glob(f"*{RAN}"), key=lambda path: path.stat().st_mtime, reverse=True)
    here = [kept[key] for path in ran if (key := path.name.removesuffix(RAN)) in kept]
    if not here:
        raise CrivoError("There is no search to resume here; `crivo search` starts one.")
    names = [one.name for one in here]
    if name not in (None, *names):
        raise CrivoError(
            f"There is no search {name!r}{did_you_mean(name or '', names)} (here: "
            f"{', '.join(names)})."
        )
    search = next(one for one in here if name in (None, one.name))
    with _alone(folder, search):
        yield search


@contextmanager
def _alone(folder: Path, search: KeptSearch) -> Iterator[None]:
    from filelock import FileLock, Timeout

    try:
        with FileLock(folder / f"{search.key}.lock", timeout=0):
            (folder / f"{search.key}{RAN}").touch()
            yield
    except Timeout:
        raise CrivoError(
            f"{search.name} is running in another process; let it end, or interrupt it there first."
        ) from None


def require_free(repository: Repository, name: str) -> None:
    """Raise CrivoError for a name that git doesn't take, or that a search has; "" is any."""
    if name and (not NAME.fullmatch(name) or ".." in name or name.endswith((".lock", "."))):
        raise CrivoError(f"--name is {name!r}; expected letters, digits, -, _, ., + and =.")
    if name in _names(repository):
        raise CrivoError(
            f"There is a search {name} already; `crivo search --resume {name}` goes on with it, "
            "or give another name."
        )


def _names(repository: Repository) -> set[str]:
    return {one.name for one in searches(repository).values()}
