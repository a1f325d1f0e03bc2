"""The stage prepare after reading: sets bad rows aside, splits the rest and writes the splits.

`check_split_labels` refuses a splitter's answer that can't be used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.artifacts import SPLITS
from crivo.core.blocks import Dataset, Splitter
from crivo.core.errors import CrivoError
from crivo.core.params import Params
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.core.wording import a_few
from crivo.preparation.committed import compare_with_committed
from crivo.preparation.quarantine import REASON, quarantine


@dataclass(frozen=True)
class Prepared:
    """What is to be told of prepared rows: the schema, rows set aside, and counts."""

    schema: Schema
    quarantined: pd.DataFrame
    metrics: dict[str, Any]


def prepare_rows(
    rows: pd.DataFrame,
    dataset: Dataset,
    splitter: Splitter,
    params: Params,
    step: Callable[[str], None],
) -> Prepared:
    """Check and split rows, and write the splits, sorted by id.

    `step` is told what begins. CrivoError: too many rows are unusable, or too many move to another
    split; then nothing is written.
    """
    schema = dataset.schema(rows)
    step("check rows")
    limits = params.prepare
    good, aside = quarantine(rows, schema, dataset.unusable(rows), limits.quarantine_limit)
    del rows  # its memory is needed
    step("split")
    good, splits, unsplit = split_rows(splitter, params.splitter, good, schema)
    if len(unsplit):
        aside = pd.concat([aside, unsplit])
    compare_with_committed(good, splits, schema, splitter, params)
    step("write")
    columns = [column.name for column in schema.columns]
    for split in SPLITS:
        artifacts.write_table(artifacts.prepared(split), good[splits == split][columns])
    metrics = data_metrics(good[schema.target], len(aside), splits, schema)
    return Prepared(schema, aside, metrics)


def split_rows(
    splitter: Splitter, name: str, rows: pd.DataFrame, schema: Schema
) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame]:
    """Return the rows that a splitter deals out, the split of each, and those set aside.

    The last carry a column `reason`. CrivoError: the splitter's answer can't be used.
    """
    splits = splitter.split(rows, schema)
    check_split_labels(splits, rows, schema, name, may_set_aside=splitter.sets_aside is not None)
    out = splits.isna()
    if not out.any():
        return rows, splits, rows[:0].assign(**{REASON: ""})
    tables = (rows[~out], splits[~out], rows[out].assign(**{REASON: splitter.sets_aside}))
    return tuple(table.reset_index(drop=True) for table in tables)  # type: ignore[return-value]


def check_split_labels(
    splits: pd.Series,
    rows: pd.DataFrame,
    schema: Schema,
    splitter: str,
    *,
    may_set_aside: bool = False,
) -> None:
    """Raise CrivoError when a splitter's answer can't be used.

    Each row is `train`, `valid` or `test`, or missing where the splitter `may_set_aside` rows;
    no split is empty; every class is in training.
    """
    if len(splits) != len(rows) or not splits.index.equals(rows.index):
        raise CrivoError(
            f"splitter {splitter} gave splits for {len(splits)} rows instead of the {len(rows)} "
            "given in their order; it must return a Series with the index of the rows."
        )
    strange = splits[~splits.isin(SPLITS) & ~(splits.isna() & may_set_aside)]
    if len(strange):
        raise CrivoError(
            f"splitter {splitter} put rows into {strange.iloc[0]!r}; "
            f"the splits are {', '.join(SPLITS)}."
        )
    empty = [split for split in SPLITS if not (splits == split).any()]
    if empty:
        counts = ", ".join(f"{split} {int((splits == split).sum())}" for split in SPLITS)
        raise CrivoError(
            f"splitter {splitter} left {' and '.join(empty)} empty ({counts}); "
            f"change splitters.{splitter} in params.yaml."
        )
    taught = rows.loc[splits == "train", schema.target].unique() if schema.classes else ()
    lacking = [name for name in schema.classes if name not in taught]
    if lacking:
        most = int(rows[schema.target].value_counts().reindex(lacking).max())
        raise CrivoError(
            f"splitter {splitter} left no training row of the class {a_few(map(str, lacking), 5)} "
            f"of {schema.target}; change splitters.{splitter} so that it has some, or set the rows "
            f"aside (datasets.table.min_class_rows: {most + 1}, or `unusable` of your own block)."
        )


def data_metrics(
    target: pd.Series, quarantined: int, splits: pd.Series, schema: Schema
) -> dict[str, Any]:
    """Return what DVC shows of the data: counts of rows, and the target's mean on each split."""
    counts = {"in": len(target) + quarantined, "out": len(target), "quarantined": quarantined}
    counts |= {split: int((splits == split).sum()) for split in SPLITS}
    metrics: dict[str, Any] = {f"rows_{what}": count for what, count in counts.items()}
    numbers = task_of(schema).numbers(target)
    if numbers is not None:
        for split in SPLITS:
            metrics[f"target_mean_{split}"] = float(numbers[splits == split].mean())
    return metrics
