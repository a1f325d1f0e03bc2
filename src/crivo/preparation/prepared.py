"""Checks the rows of a table, sets bad ones aside, splits the rest and writes the splits.

Rows that don't fit in memory come as columns, one after the other. In memory are then one column
at a time, those that name, order and weigh the rows, and what is set aside. The files are the same,
byte for byte, as those of a table in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Dataset, Splitter
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.preparation.quarantine import REASON, unusable_reasons
from crivo.preparation.splits import split_labels
from crivo.preparation.stored_columns import StoredColumns

# Is given a column of the rows by its name, the split of each row, and the schema.
Compare = Callable[[Callable[[str], pd.Series], pd.Series, Schema], None]
Rows = pd.DataFrame | StoredColumns


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
    rows: Any,
    dataset: Dataset,
    splitter: Splitter,
    splitter_name: str,
    limit: float,
    step: Callable[[str], None] = lambda _: None,
    compare: Compare | None = None,
) -> Prepared:
    """Check and split the rows of a data frame or of `StoredColumns`; write the splits.

    `limit` is that of `quarantine`; `step` is told what begins. `compare` sees the split before
    anything is written, and may refuse it.
    """
    schema = dataset.schema(rows)
    step("check rows")
    reasons = unusable_reasons(rows, schema, dataset.unusable(rows), limit)
    quarantined = _set_aside(rows, np.flatnonzero(reasons != ""), reasons[reasons != ""])
    step("split")
    places = np.flatnonzero(reasons == "")
    places = places[rows[schema.id].take(places).array.argsort()]
    if isinstance(rows, pd.DataFrame):  # the rows as they were take no memory any more
        rows, places = _taken(rows, places), np.arange(len(places))
    splits = _dealt(rows, places, schema, splitter, splitter_name)
    out = splits.isna().to_numpy()
    if out.any():
        unsplit = _set_aside(rows, places[out], splitter.sets_aside)
        quarantined = pd.concat([quarantined, unsplit], ignore_index=True)
        places, splits = places[~out], splits[~out].reset_index(drop=True)
    if compare is not None:
        compare(lambda name: rows[name].take(places), splits, schema)
    step("write")
    columns = [column.name for column in schema.columns]
    places_of = {split: places[splits == split] for split in artifacts.SPLITS}
    for split, chosen in places_of.items():
        path = artifacts.prepared(split)
        if isinstance(rows, pd.DataFrame):
            artifacts.write_table(path, rows[columns].take(chosen))
        else:
            rows.write_rows(path, chosen, columns)
    target = rows[schema.target].take(places).reset_index(drop=True)
    metrics = data_metrics(target, len(quarantined), splits, schema)
    return Prepared(schema, quarantined, metrics, missing_fractions(rows, places_of))


def _taken(rows: Rows, places: np.ndarray) -> pd.DataFrame:
    return rows.take(places).reset_index(drop=True)


def _set_aside(rows: Rows, places: np.ndarray, reasons: pd.Series | str | None) -> pd.DataFrame:
    """Return the rows at some places, with the reasons why they can't be used."""
    if isinstance(reasons, pd.Series):
        reasons = reasons.reset_index(drop=True)
    return _taken(rows, places).assign(**{REASON: reasons})


def _dealt(
    rows: Rows, places: np.ndarray, schema: Schema, splitter: Splitter, name: str
) -> pd.Series:
    """Return the split of the row at each place, from the columns that the splitter asks for."""
    if isinstance(rows, pd.DataFrame):
        return split_labels(splitter, name, rows, schema)
    roles = (schema.id, schema.target, schema.time, schema.group, schema.weight)
    names = list(dict.fromkeys(role for role in roles if role))
    while True:
        # One column after the other: a table would be copied as a whole to be put in order.
        columns = {one: rows[one].take(places).reset_index(drop=True) for one in names}
        try:
            return split_labels(splitter, name, pd.DataFrame(columns, copy=False), schema)
        except KeyError as lacking:  # a project's own splitter may use any column
            asked = lacking.args[0]
            if asked not in rows or asked in names:
                raise
            names.append(asked)


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


def missing_fractions(rows: Any, places: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return the share of missing values of each column, on the rows at the places of each split.

    `rows`: a data frame, or columns of which one is read at a time.
    """
    shares = {}
    for name in rows.columns:
        missing = rows[name].isna().to_numpy()
        shares[str(name)] = [missing[places[split]].mean() for split in artifacts.SPLITS]
    table = pd.DataFrame.from_dict(shares, orient="index", columns=list(artifacts.SPLITS))
    return table.rename_axis("column").reset_index()
