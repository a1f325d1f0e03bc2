"""The journal of a search: what it was begun with and the trials that were told, in one file.

It lies beside DVC's own temporary files, is read by the driver alone, and a killed search goes on
from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter

from crivo.core.artifacts import write_text
from crivo.core.errors import CrivoError
from crivo.records.history import History
from crivo.records.searches import KeptSearch, SearchTrial, searches
from crivo.trials.search.space import Space, Values

NAME = re.compile(r"[\w][\w.=+-]*")
FOLDER = Path(".dvc/tmp/crivo/searches")


@dataclass(frozen=True)
class Begun:
    """A search as it was begun, with the trials that were told; going on needs the same.

    `state`: what identifies the code and the settings of the workspace; `against`: the reference
    that was named; `wanted`: how many trials there are to be, None for any number.
    """

    search: KeptSearch
    state: str
    against: str | None = None
    wanted: int | None = None


@dataclass
class Journal:
    """The journal of one search, which one process at a time has open.

    `points`: all there are in a grid; None for any number.
    """

    place: Path
    begun: Begun
    space: Space
    points: list[Values] | None = field(init=False)

    def __post_init__(self) -> None:
        """List the points of a grid."""
        self.points = self.space.points() if self.search.sampler == "grid" else None

    @property
    def search(self) -> KeptSearch:
        """The search, with the trials that were told in their order."""
        return self.begun.search

    @property
    def wanted(self) -> int | None:
        """How many trials there are to be; None for any number."""
        limits = [self.begun.wanted, None if self.points is None else len(self.points)]
        return min((one for one in limits if one is not None), default=None)

    def extend(self, trials: int) -> None:
        """Set how many trials there are to be."""
        self._write(replace(self.begun, wanted=trials))

    def tell(self, trial: SearchTrial) -> None:
        """Keep what became of the next trial."""
        told = replace(self.search, trials=(*self.search.trials, trial))
        self._write(replace(self.begun, search=told))

    def _write(self, begun: Begun) -> None:
        """Write the file in place of the one before."""
        self.begun = begun
        write_text(self.place, json.dumps(asdict(begun)))


@contextmanager
def begin(history: History, begun: Begun, space: Space) -> Iterator[Journal]:
    """Begin a journal; a search without a name gets the first `search-NUMBER` that is free."""
    from filelock import FileLock

    project = history.repository.project
    (project / FOLDER).mkdir(parents=True, exist_ok=True)
    with FileLock(project / FOLDER / "names.lock"):
        require_free(history, begun.search.name)
        taken = _names(history)
        numbers = (f"search-{number}" for number in range(1, len(taken) + 2))
        name = begun.search.name or next(one for one in numbers if one not in taken)
        begun = replace(begun, search=replace(begun.search, name=name))
        journal = Journal(_place(project, name), begun, space)
        journal._write(begun)
    with _alone(journal.place):
        yield journal


@contextmanager
def resumed(
    project: Path, name: str, space_of: Callable[[Mapping[str, str]], Space]
) -> Iterator[Journal]:
    """Open the journal of a search that was begun; `space_of` makes its space of the texts."""
    place = _place(project, name)
    if not place.is_file():
        raise CrivoError(
            f"There is no journal of {name} in this clone (in {FOLDER}), so it can't be resumed. "
            "A new search uses the results of its trials if the settings and the code are the same."
        )
    with _alone(place):
        try:
            begun: Begun = TypeAdapter(Begun).validate_python(json.loads(place.read_bytes()))
            space = space_of(begun.search.space)
            _require_whole(begun.search, space)
        except (RecursionError, ValueError):
            raise CrivoError(
                f"The journal of {name}, {FOLDER / place.name}, is damaged, so the search can't "
                "be resumed; delete the file and start a search under another name: it uses the "
                "results of the trials that ended."
            ) from None
        yield Journal(place, begun, space)


def _require_whole(search: KeptSearch, space: Space) -> None:
    """Raise ValueError when a trial is missing or isn't of the space."""
    for number, trial in enumerate(search.trials):
        if trial.number != number or not space.holds(trial.values):
            raise ValueError(number)


def _place(project: Path, name: str) -> Path:
    return project / FOLDER / f"{name}.json"


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    try:
        with FileLock(place.with_suffix(".running"), timeout=0):
            yield
    except Timeout:
        raise CrivoError(
            f"{place.stem} is running in another process; let it end, or interrupt it there first."
        ) from None


def journals(project: Path) -> list[str]:
    """Return the names of the searches that can go on here, the newest first."""
    found = (project / FOLDER).glob("*.json")
    ordered = sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
    return [path.stem for path in ordered]


def require_free(history: History, name: str) -> None:
    """Raise CrivoError for a name that git doesn't take, or that a search has; "" is any."""
    if name and (not NAME.fullmatch(name) or ".." in name or name.endswith((".lock", "."))):
        raise CrivoError(f"--name is {name!r}; expected letters, digits, -, _, ., + and =.")
    if name in _names(history):
        raise CrivoError(
            f"There is a search {name} already; `crivo search --resume {name}` goes on with it, "
            "or give another name."
        )


def _names(history: History) -> set[str]:
    kept = {one.name for one in searches(history.repository).values()}
    return kept | {*journals(history.repository.project)}
