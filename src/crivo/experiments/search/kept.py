"""What git keeps of a search: which experiments are its trials, and what failed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from crivo.core.parsing import ParseError, parse_json
from crivo.experiments.history import History
from crivo.experiments.records import Record
from crivo.repository.searches import keep_search, kept_searches

State = Literal["done", "known", "stopped", "failed"]


@dataclass(frozen=True)
class KeptTrial:
    """A trial of a search.

    `values`: the settings that it was given; `state`: whether it ran (`done`), its result was
    `known` before, it was `stopped` early or it `failed`; `experiment` and `revision`: the
    experiment that records it, empty for one that failed; `value`: its primary metric; `error`:
    why it failed; `seconds`: how long it ran.
    """

    number: int
    values: Mapping[str, Any]
    state: State
    experiment: str = ""
    revision: str = ""
    value: float | None = None
    error: str = ""
    seconds: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether it can be compared."""
        return self.state in ("done", "known")


@dataclass(frozen=True)
class KeptSearch:
    """A search, with its trials in the order in which they were proposed."""

    name: str
    sampler: str
    seed: int
    window: int
    space: Mapping[str, str]
    trials: tuple[KeptTrial, ...]

    @cached_property
    def revisions(self) -> frozenset[str]:
        """The commits of the experiments that are its trials."""
        return frozenset(one.revision for one in self.trials if one.revision)


def keep(history: History, search: KeptSearch) -> None:
    """Keep a search in git, in place of what was kept of it before."""
    keep_search(history.repository, search.name, json.dumps(asdict(search), sort_keys=True))


def searches(history: History) -> dict[str, KeptSearch]:
    """Return the searches that git keeps, by name; one that can't be read is left out."""
    found = {}
    for name, text in kept_searches(history.repository).items():
        try:
            values = parse_json(text)
            trials = tuple(KeptTrial(**one) for one in values.pop("trials"))
            found[name] = KeptSearch(**values, trials=trials)
        except (ParseError, TypeError, LookupError, AttributeError):
            continue
    return found


def search_of(record: Record, known: Mapping[str, KeptSearch]) -> str | None:
    """Return the name of the first of some searches that an experiment is a trial of, or None."""
    names = (name for name, one in known.items() if record.origin.revision in one.revisions)
    return next(names, None)
