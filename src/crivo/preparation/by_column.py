"""Prepares a table whose rows don't fit in memory: column by column, and by row groups.

The files are the same, byte for byte, as those of a table in memory. In memory are one column at a
time, those that name, order and weigh the rows, and what is set aside.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from typing import cast

import numpy as np
import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Dataset, Splitter
from crivo.core.schema import Schema
from crivo.preparation.prepared import Compare, Prepared, uncompared
from crivo.preparation.profile import data_metrics, missing_fractions_by_column
from crivo.preparation.quarantine import REASON, unusable_reasons
from crivo.preparation.splits import divide
from crivo.preparation.stored_columns import StoredColumns

# Where a row stands in the raw table; no column has such a name.
PLACE = "\0place"


def prepare_by_column(
    columns: Iterable[pd.Series],
    dataset: Dataset,
    splitter: Splitter,
    splitter_name: str,
    limit: float,
    step: Callable[[], None],
    compare: Compare = uncompared,
) -> Prepared:
    """Check and split the rows of columns that come one after the other; write the splits.

    Arguments as of `prepare_in_memory`.
    """
    shutil.rmtree(artifacts.COLUMNS, ignore_errors=True)  # of a run that was killed
    try:
        store = StoredColumns(artifacts.COLUMNS, columns)
        rows = cast(pd.DataFrame, store)  # datasets ask for columns only
        schema = dataset.schema(rows)
        step()
        reasons = unusable_reasons(rows, schema, dataset.unusable(rows), limit)
        step()
        bad = reasons != ""
        kept, splits, unsplit = _divide(store, ~bad, schema, splitter, splitter_name)
        quarantined = store.take(np.flatnonzero(bad)).assign(
            **{REASON: reasons[bad].reset_index(drop=True)}
        )
        if len(unsplit):
            aside = store.take(unsplit[PLACE].to_numpy()).assign(**{REASON: unsplit[REASON]})
            quarantined = pd.concat([quarantined, aside], ignore_index=True)
        compare(lambda name: store[name].take(kept[PLACE].to_numpy()), splits, schema)
        step()
        places = {split: kept[PLACE][splits == split].to_numpy() for split in artifacts.SPLITS}
        files = [(artifacts.prepared(split), places[split]) for split in artifacts.SPLITS]
        store.write_rows(files, [column.name for column in schema.columns])
        gaps = ((name, store.missing(name)) for name in store.columns)
        missing = missing_fractions_by_column(gaps, places)
        metrics = data_metrics(kept, quarantined, splits, schema)
        return Prepared(schema, quarantined, metrics, missing)
    finally:
        shutil.rmtree(artifacts.COLUMNS, ignore_errors=True)


def _divide(
    store: StoredColumns, usable: pd.Series, schema: Schema, splitter: Splitter, name: str
) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame]:
    """Return what `divide` does, of the columns that the splitter asks for, and places."""
    roles = (schema.id, schema.target, schema.time, schema.group, schema.weight)
    names = list(dict.fromkeys(role for role in roles if role))
    places = np.flatnonzero(usable)
    ids = store[schema.id] if usable.all() else store[schema.id].take(places)
    places = places[ids.array.argsort()]
    while True:
        # One column after the other: a table would be copied as a whole to be put in order.
        columns = {one: store[one].take(places).reset_index(drop=True) for one in names}
        rows = pd.DataFrame({**columns, PLACE: places}, copy=False)
        try:
            return divide(splitter, name, rows, schema)
        except KeyError as lacking:  # a project's own splitter may use any column
            asked = lacking.args[0]
            if asked not in store or asked in names:
                raise
            names.append(asked)
