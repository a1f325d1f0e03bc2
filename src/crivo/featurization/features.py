"""Fits a featurizer and writes the features of a split; a large split goes through in batches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.inputs import check_inputs
from crivo.core.problems import did_you_mean
from crivo.core.schema import Schema
from crivo.core.stored_table import GROUP_ROWS, Rows, StoredTable, in_memory

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def fit_transformer(transformer: Any, rows: Rows, schema: Schema) -> None:
    """Fit a transformer on the training rows.

    Rows on disk are read into memory, but for one whose class says `fits_by_column`: its `fit` asks
    for one column at a time.
    """
    features, target = rows[list(schema.features)], rows[schema.target]
    by_column = getattr(transformer, "fits_by_column", False)
    with _columns_named(features):
        transformer.fit(features if by_column else in_memory(features), target)


@contextmanager
def _columns_named(rows: Rows) -> Iterator[None]:
    """Turn the KeyError of a column that the rows lack into a sentence."""
    try:
        yield
    except KeyError as error:
        said, there = str(error.args[0]) if error.args else "", [*rows.columns]
        # Of several columns, pandas puts the names in quotes into a sentence.
        missing = [name for name in re.findall("'(.+?)'", said) or [said] if name not in there]
        if not missing:
            raise
        near = did_you_mean(missing[0], there) or "."
        raise CrivoError(
            f"The featurizer asks for {', '.join(missing)}, which aren't among the features{near} "
            "There "
            f"are: {', '.join(there)}. Name one of them in the featurizer's block, or bring data "
            "that have the column."
        ) from error


def write_features(transformer: Any, rows: Rows, path: Path) -> Rows:
    """Write what a transformer makes of rows, and return it.

    Rows on disk are transformed in batches, as a row's inputs are its own. The file has the bytes
    that it would have if they were in memory. CrivoError: the transformer gave no model inputs.
    """
    if not isinstance(rows, StoredTable):
        with _columns_named(rows):
            inputs = check_inputs(transformer.transform(rows), rows)
        artifacts.write_table(path, inputs)
        return inputs
    batches = (check_inputs(transformer.transform(batch), batch) for batch in rows.batches())
    with _columns_named(rows):
        _write_batches(path, batches)
    return StoredTable(path)


def _write_batches(path: Path, batches: Iterator[pd.DataFrame]) -> None:
    """Write tables below each other, in row groups as a data frame's."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    first = next(batches)
    schema = pa.Table.from_pandas(first, preserve_index=False).schema
    with artifacts.written(path) as beside, pq.ParquetWriter(beside, schema) as writer:
        waiting = [_as_arrow(first, first, schema)]
        for batch in batches:
            waiting.append(_as_arrow(batch, first, schema))
            if sum(map(len, waiting)) >= GROUP_ROWS:
                table = pa.concat_tables(waiting)
                _write_group(writer, table[:GROUP_ROWS])
                waiting = [table[GROUP_ROWS:]]
        if table := pa.concat_tables(waiting):
            _write_group(writer, table)


def _as_arrow(batch: pd.DataFrame, first: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """Return a batch in the types of the first one; CrivoError when it has others."""
    import pyarrow as pa

    if not batch.dtypes.equals(first.dtypes):
        raise CrivoError(
            "The featurizer gave columns of other names or types for some rows than for others; "
            "make them in `fit`, the same for all rows."
        )
    return pa.Table.from_pandas(batch, schema=schema, preserve_index=False)


def _write_group(writer: pa.parquet.ParquetWriter, table: pa.Table) -> None:
    writer.write_table(table.combine_chunks(), row_group_size=GROUP_ROWS)
