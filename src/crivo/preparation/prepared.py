"""The stage prepare after reading: quarantines bad rows, splits the rest and writes the splits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Dataset, Splitter
from crivo.core.params import Params
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.preparation.committed import compare_with_committed
from crivo.preparation.quarantine import quarantine
from crivo.preparation.splits import split_rows


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
    good = good.take(good[schema.id].array.argsort()).reset_index(drop=True)
    good, splits, unsplit = split_rows(splitter, params.splitter, good, schema)
    if len(unsplit):
        aside = pd.concat([aside, unsplit], ignore_index=True)
    compare_with_committed(good, splits, schema, splitter, params)
    step("write")
    columns = [column.name for column in schema.columns]
    for split in artifacts.SPLITS:
        artifacts.write_table(artifacts.prepared(split), good.loc[splits == split, columns])
    metrics = data_metrics(good[schema.target], len(aside), splits, schema)
    return Prepared(schema, aside, metrics)


def data_metrics(
    target: pd.Series, quarantined: int, splits: pd.Series, schema: Schema
) -> dict[str, Any]:
    """Return what DVC shows of the data: counts of rows, and the target's mean on each split."""
    counts = {"in": len(target) + quarantined, "out": len(target), "quarantined": quarantined}
    counts |= {split: int((splits == split).sum()) for split in artifacts.SPLITS}
    metrics: dict[str, Any] = {f"rows_{what}": count for what, count in counts.items()}
    numbers = task_of(schema).numbers(target)
    if numbers is not None:
        for split in artifacts.SPLITS:
            metrics[f"target_mean_{split}"] = float(numbers[splits == split].mean())
    return metrics
