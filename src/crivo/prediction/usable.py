"""Refuses rows that `prepare` would set aside: the model was not fitted or evaluated on any."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Column, Schema
from crivo.preparation.quarantine import invalid_reasons
from crivo.preparation.tables.columns import MISSING, clean, is_text

# Not known yet when a prediction is wanted, or of no matter to it.
LATER = ("target", "outcome", "weight")
SHOWN = 3


def require_usable(rows: pd.DataFrame, schema: Schema, columns: Iterable[str]) -> None:
    """Raise CrivoError when a row breaks a rule of the schema for one of these columns.

    The columns must have the schema's types. Those of the target, of outcomes and of the weight
    have no say; nor have rules that only a dataset's own code knows (`unusable`).
    """
    rules = [one for one in map(schema.column, columns) if one.role not in LATER]
    broken = [column for column in rules if _may_break(rows[column.name], column)]
    if not broken:
        return
    reasons = invalid_reasons(rows, schema.model_copy(update={"columns": tuple(broken)}))
    wrong = np.flatnonzero(reasons != "")
    if len(wrong):
        raise CrivoError(_refusal(reasons, wrong))


def require_usable_file(rows: pd.DataFrame, schema: Schema) -> None:
    """Raise CrivoError when a file's row breaks a rule for a column that no model asks for.

    Rules for the id, say, count for a file only: a program may score one row twice.
    """
    unused_columns = [
        name for name in rows if name not in schema.features and name in _names(schema)
    ]
    cells = {name: _cleaned(rows[name]) for name in unused_columns}
    require_usable(pd.DataFrame(cells, index=rows.index), schema, unused_columns)


def _names(schema: Schema) -> set[str]:
    return {column.name for column in schema.columns}


def _cleaned(values: pd.Series) -> pd.Series:
    return clean(values, frozenset(MISSING)) if is_text(values) else values


def _may_break(values: pd.Series, column: Column) -> bool:
    """Say quickly whether a column may hold what isn't valid; what does is asked afterwards."""
    missing = values.isna()
    if not column.nullable and missing.any():
        return True
    if column.unique and values.duplicated().any():
        return True
    known = values[~missing] if missing.any() else values
    if column.allowed is not None and not known.isin(column.allowed).all():
        return True
    return column.type == "number" and _out_of_range(known, column)


def _out_of_range(known: pd.Series, column: Column) -> bool:
    numbers = known.to_numpy("float64")
    low = -np.inf if column.low is None else column.low
    high = np.inf if column.high is None else column.high
    valid = np.isfinite(numbers) & (numbers >= low) & (numbers <= high)
    return not bool(valid.all())


def _refusal(reasons: pd.Series, wrong: np.ndarray) -> str:
    examples = ", ".join(f"row {at + 1} ({reasons.iat[at]})" for at in wrong[:SHOWN])
    more = f" and {len(wrong) - SHOWN:,} more" if len(wrong) > SHOWN else ""
    count = "1 row is" if len(wrong) == 1 else f"{len(wrong):,} rows are"
    return (
        f"{count} such as prepare sets aside: {examples}{more}. The model was neither fitted nor "
        "evaluated on such rows; correct them, or leave them out."
    )
