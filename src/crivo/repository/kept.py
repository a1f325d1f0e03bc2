"""Records of experiments under git references: notes, costs, times and searches.

Each is a text of JSON that a reference below `refs/crivo` points to. Nothing is committed, two
processes that end at once don't meet, and `crivo fetch` brings a colleague's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from crivo.core.errors import CrivoError
from crivo.repository.git import Repository

# By the hash of an experiment's commit: what people say of it, each below a name of its own.
NOTES = "refs/crivo/notes"
# By the hash of a trial's commit: how many seconds it took.
COSTS = "refs/crivo/costs"
# By the hash of a model's file: a trial that finds its model in DVC's cache has its times, too.
TIMES = "refs/crivo/times"
# By name and mark.
SEARCHES = "refs/crivo/searches"

# Seconds to `fit` a model, and to `predict` one row among many, by the hash of its file.
Times = Mapping[str, Mapping[str, float]]

T = TypeVar("T")


def keep(repository: Repository, name: str, value: Any) -> None:
    """Keep a value below a reference's name, in place of what was kept there."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    repository.git("update-ref", name, repository.write_blob(f"{text}\n"))


def kept(repository: Repository, start: str, kind: type[T]) -> dict[str, T]:
    """Return the values that are kept below `start`, by the rest of their names.

    What isn't of that kind is passed over: references come from anybody.
    """
    found, adapter = {}, TypeAdapter(kind)
    for name, text in repository.texts_below(start).items():
        with suppress(ValidationError):
            found[name] = adapter.validate_json(text)
    return found


def keep_seconds(repository: Repository, revision: str, seconds: float) -> None:
    """Keep how many seconds the trial took that a commit records."""
    keep(repository, f"{COSTS}/{revision}", round(seconds, 3))


def kept_seconds(repository: Repository) -> dict[str, float]:
    """Return the seconds of each trial whose cost is kept, by the commit that records it."""
    return kept(repository, COSTS, float)


def keep_times(repository: Repository, times: Times) -> None:
    """Keep times beside those that are kept; of two of the same, the older ones stay.

    Where git can't take them now, they are lost: the trial that they are of is recorded already.
    """
    known = kept_times(repository)
    for model, told in times.items():
        with suppress(CrivoError):
            keep(repository, f"{TIMES}/{model}", {**told, **known.get(model, {})})


def kept_times(repository: Repository) -> dict[str, dict[str, float]]:
    """Return the times of all models."""
    return kept(repository, TIMES, dict[str, float])


def read_measured(place: Path) -> dict[str, float]:
    """Return what stages noted in a file, see `crivo.runtime.timing`, and remove it.

    `fit`: seconds; `predict`: seconds per row, of the first rows that were predicted.
    """
    found: dict[str, float] = {}
    if place.exists():
        for line in place.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            rows = 1 if one["what"] == "fit" else max(one["rows"], 1)
            found.setdefault(one["what"], one["seconds"] / rows)
        place.unlink()
    return found
