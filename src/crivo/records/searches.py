"""Writes and reads the record of a search in the ledger: its trials, and those that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from textwrap import shorten
from typing import Any, Literal

from crivo.core.errors import CrivoError
from crivo.core.results import Number, result
from crivo.records.ledger import SEARCH, TRIED, Ledger, add, entry
from crivo.repository.git import Repository

# How many characters of a failure are told in one line.
LONGEST = 300


@result
class SearchTrial:
    """A trial of a search."""

    number: int
    """The trial's number in the search, counted from 0."""
    values: Mapping[str, Any]
    """Its settings."""
    state: Literal["done", "known", "failed"]
    """Whether it ran (`done`), its result was already `known`, or it `failed`."""
    experiment: str = ""
    """The experiment's name; empty if there is none."""
    revision: str = ""
    """The commit that records the experiment; empty if there is none."""
    value: Number | None = None
    """The value of the primary metric; null if there is none."""
    error: str = ""
    """Why it failed."""
    seconds: float = 0.0
    """How long it ran, in seconds."""

    @property
    def whole(self) -> bool:
        """Whether it can be compared."""
        return self.state in ("done", "known")

    @property
    def reason(self) -> str:
        """Why it failed, in one line: the first line, and the last one that was printed."""
        lines = [line.strip() for line in self.error.splitlines() if line.strip()]
        text = " ".join(dict.fromkeys([*lines[:1], *lines[-1:]])).replace(". Its last lines:", ":")
        return shorten(text.rstrip("."), LONGEST, placeholder=" …") + "."


@dataclass(frozen=True)
class KeptSearch:
    """A search, with its trials in the order in which they were proposed.

    `mark`: what tells it from another person's search of that name; `state`: what identifies the
    code and the settings that it began with; `against`: the reference that was named; `wanted`: how
    many trials there are to be, None for any number. Going on needs the same.
    """

    name: str
    sampler: str
    seed: int
    window: int
    space: Mapping[str, str]
    trials: tuple[SearchTrial, ...]
    mark: str = ""
    state: str = ""
    against: str | None = None
    wanted: int | None = None

    @property
    def key(self) -> str:
        """Its name and its mark, which no other search has."""
        return f"{self.name}@{self.mark}" if self.mark else self.name


def keep(repository: Repository, search: KeptSearch, *trials: SearchTrial) -> None:
    """Keep a search as it is now, and trials of it that were told."""
    told = [entry(TRIED, search.key, asdict(one)) for one in trials]
    add(repository, entry(SEARCH, search.key, asdict(replace(search, trials=()))), *told)


def searches(ledger: Ledger) -> dict[str, KeptSearch]:
    """Return the searches that are known, by name; one that can't be read is left out.

    Of several with one name, each goes by its name and its mark: `rates@1f3a09bc`. A search's
    trials end where one is missing, or where a damaged record lists one again.
    """
    found = {one.of: search for one, search in ledger.told(SEARCH, KeptSearch)}
    told: dict[str, dict[int, SearchTrial]] = {key: {} for key in found}
    for one, trial in ledger.told(TRIED, SearchTrial):
        told.get(one.of, {})[trial.number] = trial
    for key, by_number in told.items():
        trials, made = list[SearchTrial](), set[str]()
        while (one_more := by_number.get(len(trials))) is not None:
            if one_more.state == "done" and one_more.revision in made:
                break
            made |= {one_more.revision} if one_more.state == "done" else set()
            trials.append(one_more)
        found[key] = replace(found[key], trials=tuple(trials))
    names = Counter(search.name for search in found.values())
    return {one.name if names[one.name] == 1 else key: one for key, one in found.items()}


def searches_of(ledger: Ledger) -> dict[str, str]:
    """Return the name of the search that made an experiment, by the experiment's commit.

    What a search found known it didn't make.
    """
    return {
        trial.revision: name
        for name, search in searches(ledger).items()
        for trial in search.trials
        if trial.revision and trial.state != "known"
    }


def made_by(ledger: Ledger, names: Sequence[str]) -> frozenset[str]:
    """Return the commits of the experiments that searches made; CrivoError for an unknown name."""
    known = searches_of(ledger)
    there = sorted(set(known.values()))
    for name in names:
        if name not in there:
            told = f"there is: {', '.join(there)}" if there else "there is none"
            raise CrivoError(f"No experiment belongs to a search {name!r}; {told}.")
    return frozenset(revision for revision, name in known.items() if name in names)
