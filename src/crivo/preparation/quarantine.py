"""Sets aside rows that break a rule of the schema or that the dataset refuses, with the reason."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Column, Schema

REASON = "reason"


def quarantine(
    rows: pd.DataFrame, schema: Schema, unusable: pd.Series, limit: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the valid rows, sorted by id, and the others, which carry a column `reason`.

    `unusable` holds the dataset's own reasons (missing: none); the schema is checked on the
    rest. CrivoError: more than the share `limit` of the rows is set aside, a
    column is missing, or no row is left.
    """
    lacking = [column.name for column in schema.columns if column.name not in rows]
    if lacking:
        raise CrivoError(
            f"The data lack the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)} "
            f"(there are: {', '.join(map(str, rows.columns))}); correct the dataset's settings."
        )
    if rows.empty:
        raise CrivoError("The raw data hold no rows; check the files in data/raw.")
    found = invalid_reasons(rows, schema, unusable.isna())
    reasons = found.mask(unusable.notna(), unusable)
    bad = reasons != ""
    if bad.all() or bad.mean() > limit:
        counts = count_reasons(reasons[bad]).itertuples(index=False)
        table = "\n".join(f"{count:>10,}  {reason}" for reason, count in counts)
        raise CrivoError(
            f"{bad.sum():,} of {len(rows):,} rows ({100 * bad.mean():.1f} %) can't be used, more "
            f"than prepare.quarantine_limit allows ({100 * limit:.1f} %). Correct the data or its "
            f"schema, or raise the limit. The reasons:\n{table}"
        )
    aside = rows[bad].assign(**{REASON: reasons[bad]})
    good = np.flatnonzero(~bad)
    in_order = good[rows[schema.id].array[good].argsort()]
    return rows.take(in_order).reset_index(drop=True), aside.reset_index(drop=True)


def count_reasons(reasons: pd.Series) -> pd.DataFrame:
    """Return how many rows were set aside for each reason, the most frequent first."""
    counts = reasons.value_counts().rename_axis(REASON).reset_index(name="rows")
    return counts.sort_values(["rows", REASON], ascending=[False, True])


def invalid_reasons(
    rows: pd.DataFrame, schema: Schema, usable: pd.Series | bool = True
) -> pd.Series:
    """Return what is invalid about each row; an empty text: nothing.

    `usable`: the rows in which values must be unique. CrivoError: a column's values can't be
    compared with its limits.
    """
    reasons = np.full(len(rows), "", dtype=object)
    for column in schema.columns:
        values = rows[column.name]
        try:
            for wrong, reason in _broken_rules(values, column, usable):
                broken = wrong.to_numpy(dtype=bool, na_value=False)
                apart = np.where(reasons[broken] == "", "", "; ").astype(object)
                reasons[broken] += apart + f"{column.name} {reason}"
        except (TypeError, ValueError) as error:
            raise CrivoError(
                f"Column {column.name}: values of the type {values.dtype} can't be checked "
                f"({error}); correct the dataset's schema."
            ) from None
    return pd.Series(reasons, rows.index, dtype="object")


def _broken_rules(
    values: pd.Series, column: Column, usable: pd.Series | bool
) -> Iterator[tuple[pd.Series, str]]:
    """Give which values break a rule of their column, and in which way.

    What is missing breaks no other rule: it is neither below nor above anything.
    """
    if not column.nullable:
        yield values.isna(), "is missing"
    if column.unique:
        twice = values.notna() & usable
        twice[twice] = values[twice].duplicated(keep=False)
        yield twice, "is not unique"
    if column.type == "number":
        yield np.isinf(values), "is infinite"
    if column.low is not None:
        yield values < column.low, f"is below {column.low:,.12g}"
    if column.high is not None:
        yield values > column.high, f"is above {column.high:,.12g}"
    if column.allowed is not None:
        yield values.notna() & ~values.isin(column.allowed), "is not an allowed value"
