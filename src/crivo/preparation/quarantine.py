"""Sets aside rows that break a rule of the schema or that the dataset refuses, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Column, Schema

REASON = "reason"


def quarantine(
    rows: pd.DataFrame, schema: Schema, unusable: pd.Series, limit: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the valid rows and the others, which carry a column `reason`.

    `unusable` holds the dataset's own reasons (missing: none); the schema is checked on the
    rest. CrivoError: more than the share `limit` of the rows is set aside, a
    column is missing, or no row is left.
    """
    require_columns(rows, schema)
    known = unusable.notna()
    reasons = unusable.astype("object").where(known, "")
    reasons[~known] = invalid_reasons(rows[~known] if known.any() else rows, schema)
    bad = reasons != ""
    if len(rows) == 0 or bad.all() or bad.mean() > limit:
        raise CrivoError(_too_many(reasons[bad], len(rows), limit))
    aside = rows[bad].assign(**{REASON: reasons[bad]})
    return rows[~bad].reset_index(drop=True), aside.reset_index(drop=True)


def require_columns(rows: pd.DataFrame, schema: Schema) -> None:
    """Raise CrivoError when a column of the schema is not in the table."""
    lacking = [column.name for column in schema.columns if column.name not in rows]
    if lacking:
        raise CrivoError(
            f"The data lack the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)} "
            f"(there are: {', '.join(map(str, rows.columns))}); correct the dataset's settings."
        )


def invalid_reasons(rows: pd.DataFrame, schema: Schema) -> pd.Series:
    """Return what is invalid about each row; an empty text: nothing."""
    reasons = np.full(len(rows), "", dtype=object)
    for column in schema.columns:
        for wrong, reason in _violations(rows[column.name], column):
            apart = np.where(reasons[wrong] == "", "", "; ")
            reasons[wrong] += apart.astype(object) + f"{column.name} {reason}"
    return pd.Series(reasons, rows.index, dtype="object")


def _violations(values: pd.Series, column: Column) -> Iterator[tuple[np.ndarray, str]]:
    """Give which values break a rule of their column, and in which way."""
    if not column.nullable:
        yield values.isna().to_numpy(), "is missing"
    # What is missing breaks no other rule.
    there = values.notna().to_numpy()
    known = values if there.all() else values[there]  # a copy of a large column takes long
    if column.unique:
        yield values.duplicated(keep=False).to_numpy() & there, "is not unique"
    for is_right, reason in _rules(column):
        wrong = there.copy()
        try:
            wrong[there] = ~np.asarray(is_right(known), dtype=bool)
        except (TypeError, ValueError) as error:
            raise CrivoError(
                f"Column {column.name}: with the type {values.dtype}, it can't be decided whether "
                f"a value {reason} ({error}); correct the dataset's schema."
            ) from None
        yield wrong, reason


def _rules(column: Column) -> Iterator[tuple[Callable[[pd.Series], pd.Series], str]]:
    """Give the rules for a column's values, and what a value does that breaks one."""
    low, high, allowed = column.low, column.high, column.allowed
    if column.type == "number":
        yield np.isfinite, "is infinite"
    if low is not None:
        yield (lambda values: values >= low), f"is below {low:g}"
    if high is not None:
        yield (lambda values: values <= high), f"is above {high:g}"
    if allowed is not None:
        yield (lambda values: values.isin(allowed)), "is not an allowed value"


def _too_many(reasons: pd.Series, total: int, limit: float) -> str:
    if total == 0:
        return "The raw data hold no rows; check the files in data/raw."
    table = "\n".join(f"{n:>10,}  {reason}" for reason, n in reasons.value_counts().items())
    return (
        f"{len(reasons):,} of {total:,} rows ({100 * len(reasons) / total:.1f} %) can't be used, "
        f"more than prepare.quarantine_limit allows ({100 * limit:.1f} %). Correct the data or its "
        f"schema, or raise the limit. The reasons:\n{table}"
    )
