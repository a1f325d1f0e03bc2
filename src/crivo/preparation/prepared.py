"""Checks the rows of a table, sets bad ones aside, splits the rest and writes the splits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Dataset, Splitter
from crivo.core.schema import Schema
from crivo.preparation.profile import data_metrics, missing_fractions, quarantine_reasons
from crivo.preparation.quarantine import set_aside, unusable_reasons
from crivo.preparation.splits import divide

# Is given a column of the rows by its name, the split of each row, and the schema.
Compare = Callable[[Callable[[str], pd.Series], pd.Series, Schema], None]


def uncompared(column: Callable[[str], pd.Series], splits: pd.Series, schema: Schema) -> None:
    """Compare nothing: the rows are those of no project."""


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


def prepare_in_memory(
    rows: pd.DataFrame,
    dataset: Dataset,
    splitter: Splitter,
    splitter_name: str,
    limit: float,
    step: Callable[[], None],
    compare: Compare = uncompared,
) -> Prepared:
    """Check and split rows and write the splits.

    `limit` is that of `quarantine`; `step` is called when the rows are checked, split, written.
    `compare` sees the split before anything is written, and may refuse it.
    """
    schema = dataset.schema(rows)
    step()
    reasons = unusable_reasons(rows, schema, dataset.unusable(rows), limit)
    quarantined = set_aside(rows, reasons)
    step()
    rows = usable_in_order(rows, reasons, schema.id)
    rows, splits, unsplit = divide(splitter, splitter_name, rows, schema)
    if len(unsplit):
        quarantined = pd.concat([quarantined, unsplit], ignore_index=True)
    compare(rows.__getitem__, splits, schema)
    step()
    columns = [column.name for column in schema.columns]
    for split in artifacts.SPLITS:
        artifacts.write_table(artifacts.prepared(split), rows.loc[splits == split, columns])
    metrics = data_metrics(rows, quarantined, splits, schema)
    return Prepared(schema, quarantined, metrics, missing_fractions(rows, splits))


def usable_in_order(rows: pd.DataFrame, reasons: pd.Series, id_column: str) -> pd.DataFrame:
    """Return the rows without a reason, sorted by their ids; all columns are copied only once."""
    places = np.flatnonzero(reasons == "")
    ids = rows[[id_column]].take(places).reset_index(drop=True)
    order = ids.sort_values(id_column).index
    return rows.take(places[order]).reset_index(drop=True)
