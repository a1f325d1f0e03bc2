"""Folds: the same recipe evaluated on other rows, each row once, the test rows never."""

from __future__ import annotations

from typing import Any, NamedTuple

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.experiments.cached import Store
from crivo.experiments.records import Record
from crivo.experiments.settings import chosen_block


class Fold(NamedTuple):
    """One fold: the settings that make it, and which rows it is evaluated on, in words."""

    settings: tuple[str, ...]
    title: str


def plan_folds(record: Record, count: int, store: Store) -> list[Fold]:
    """Return the folds of a record's split; CrivoError when it can't be split so often."""
    if count < 2:
        raise CrivoError(f"--folds is {count}; expected 2 or more.")
    splitter, name = chosen_block("splitter", record.settings), record.settings["splitter"]
    folds = splitter.folds(count, lambda: _first(record, store))
    if not folds:
        raise CrivoError(
            f"Splitter {name} can't make folds: it lacks the settings fold, valid and test;  "
            "repeat over seeds, or use by_time, by_group or at_random."
        )
    start = f"++splitters.{name}"
    return [
        Fold(tuple(f"{start}.{key}={value}" for key, value in changed.items()), title)
        for title, changed in folds.items()
    ]


def _first(record: Record, store: Store) -> Any:
    """Return the first moment of the training rows."""
    time = store.schema(record).time
    rows = artifacts.read_table(store.path(record, "data/prepared/train.parquet"), [str(time)])
    return rows[time].min()
