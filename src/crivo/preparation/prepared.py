"""The stage prepare after reading: quarantines bad rows, splits the rest and writes the splits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Dataset, Splitter
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.preparation.quarantine import quarantine
from crivo.preparation.splits import split_rows

# Is given the rows, the split of each, and the schema.
Compare = Callable[[pd.DataFrame, pd.Series, Schema], None]


@dataclass(frozen=True)
class Prepared:
    """What is to be told of prepared rows: the schema, rows set aside, counts and gaps."""

    schema: Schema
    quarantined: pd.DataFrame
    metrics: dict[str, Any]
    missing: pd.DataFrame

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables of `metrics/data` by file name."""
        reasons = quarantine_reasons(self.quarantined)
        return {"quarantine.csv": reasons, "missing.csv": self.missing}


def prepare_rows(
    rows: pd.DataFrame,
    dataset: Dataset,
    splitter: Splitter,
    splitter_name: str,
    limit: float,
    step: Callable[[str], None] = lambda _: None,
    compare: Compare | None = None,
) -> Prepared:
    """Check and split rows, and write the splits, sorted by id.

    `limit` is that of `quarantine`; `step` is told what begins. `compare` sees the split before
    anything is written, and may refuse it.
    """
    schema = dataset.schema(rows)
    step("check rows")
    good, quarantined = quarantine(rows, schema, dataset.unusable(rows), limit)
    del rows  # its memory is needed
    step("split")
    good = good.take(good[schema.id].array.argsort()).reset_index(drop=True)
    good, splits, unsplit = split_rows(splitter, splitter_name, good, schema)
    if len(unsplit):
        quarantined = pd.concat([quarantined, unsplit], ignore_index=True)
    if compare is not None:
        compare(good, splits, schema)
    step("write")
    columns = [column.name for column in schema.columns]
    for split in artifacts.SPLITS:
        artifacts.write_table(artifacts.prepared(split), good.loc[splits == split, columns])
    metrics = data_metrics(good[schema.target], len(quarantined), splits, schema)
    return Prepared(schema, quarantined, metrics, missing_fractions(good, splits))


def data_metrics(
    target: pd.Series, quarantined: int, splits: pd.Series, schema: Schema
) -> dict[str, Any]:
    """Return what DVC shows of the data: counts of rows, and the target's mean on each split."""
    numbers = task_of(schema).numbers(target)
    metrics: dict[str, Any] = {
        "rows_in": len(target) + quarantined,
        "rows_out": len(target),
        "rows_quarantined": quarantined,
    }
    for split in artifacts.SPLITS:
        metrics[f"rows_{split}"] = int((splits == split).sum())
        if numbers is not None:
            metrics[f"target_mean_{split}"] = float(numbers[splits == split].mean())
    return metrics


def quarantine_reasons(quarantined: pd.DataFrame, reason: str = "reason") -> pd.DataFrame:
    """Return how many rows were set aside for each reason, the most frequent first."""
    counts = quarantined[reason].value_counts().rename_axis(reason).reset_index(name="rows")
    return counts.sort_values(["rows", reason], ascending=[False, True])


def missing_fractions(rows: pd.DataFrame, splits: pd.Series) -> pd.DataFrame:
    """Return the share of missing values of each column, on the rows of each split."""
    gaps = rows.isna()
    shares = {split: gaps[splits == split].mean() for split in artifacts.SPLITS}
    return pd.DataFrame(shares).rename_axis("column").reset_index()
