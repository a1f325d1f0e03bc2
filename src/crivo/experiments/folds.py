"""Folds: the same recipe evaluated on other rows, each row once, the test rows never."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.experiments.cached import Store, evaluated
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
            f"Splitter {name} can't deal out folds: it has no settings fold, valid and test; "
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


def pooled(name: str, folds: Sequence[Record], store: Store) -> Record:
    """Return the folds as one record, evaluated on all of their rows together.

    Blocks of time are numbered through, so that no two folds share one.
    """
    tables = [store.predictions(fold) for fold in folds]
    predictions = pd.concat(_apart(tables, folds[0].settings), ignore_index=True)
    if predictions["id"].duplicated().any():
        raise CrivoError(f"The folds of {name} share rows; repeat it again with one --folds.")
    predictions = predictions.sort_values("id", ignore_index=True)
    context = Context.of(store.schema(folds[0]))
    return evaluated(folds[0], predictions, context, folds[0].settings)


def _apart(tables: Sequence[pd.DataFrame], settings: dict[str, Any]) -> list[pd.DataFrame]:
    """Number the blocks of each fold on from the last one's; named clusters stay."""
    if (settings.get("evaluate") or {}).get("block", 1) == 1:
        return list(tables)
    result, used = [], 0
    for table in tables:
        result.append(table.assign(cluster=table["cluster"].astype(int) + used))
        used = int(result[-1]["cluster"].max()) + 1
    return result
