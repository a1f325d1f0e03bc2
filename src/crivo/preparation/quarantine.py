"""The pipeline's door: rows that can't be used are set aside, each with its reason."""

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
    """Return the valid rows and the others, which carry a column `reason`.

    `unusable` holds the dataset's own reasons (missing: none); the schema is checked on the
    rest with pandera. CrivoError: more than the share `limit` of the rows is set aside, a
    column is missing, or no row is left.
    """
    require_columns(rows, schema)
    known = unusable.notna()
    reasons = unusable.astype("object").where(known, "")
    reasons[~known] = invalid_reasons(rows[~known], schema)
    bad = reasons != ""
    if len(rows) == 0 or bad.all() or bad.mean() > limit:
        raise CrivoError(_too_many(reasons[bad], len(rows), limit))
    quarantined = rows[bad].assign(**{REASON: reasons[bad]})
    return rows[~bad].reset_index(drop=True), quarantined.reset_index(drop=True)


def require_columns(rows: pd.DataFrame, schema: Schema) -> None:
    """Raise CrivoError when a column of the schema is not in the table."""
    lacking = [column.name for column in schema.columns if column.name not in rows]
    if lacking:
        raise CrivoError(
            f"The data lack the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)} "
            f"(there are: {', '.join(map(str, rows.columns))}); correct the dataset's settings."
        )


def invalid_reasons(rows: pd.DataFrame, schema: Schema) -> pd.Series:
    """Return, for each row, what is invalid about it, or an empty text."""
    import pandera.pandas as pa
    from pandera.errors import SchemaErrors

    row_reasons: list[list[str]] = [[] for _ in range(len(rows))]
    table = rows.reset_index(drop=True)
    columns = {column.name: _pandera_column(column) for column in schema.columns}
    try:
        pa.DataFrameSchema(columns).validate(table, lazy=True)
    except SchemaErrors as error:
        for position, reason in _by_row(error.failure_cases, schema):
            row_reasons[position].append(reason)
    return pd.Series(["; ".join(reasons) for reasons in row_reasons], rows.index, dtype="object")


def _pandera_column(column: Column) -> object:
    import pandera.pandas as pa

    checks = []
    if column.type == "number":
        checks.append(pa.Check(np.isfinite, error="is infinite", ignore_na=True))
    if column.low is not None:
        checks.append(pa.Check.ge(column.low, error=f"is below {column.low:g}"))
    if column.high is not None:
        checks.append(pa.Check.le(column.high, error=f"is above {column.high:g}"))
    if column.allowed is not None:
        checks.append(pa.Check.isin(column.allowed, error="is not an allowed value"))
    return pa.Column(
        None, checks, nullable=column.nullable, unique=column.unique, report_duplicates="all"
    )


def _by_row(cases: pd.DataFrame, schema: Schema) -> Iterator[tuple[int, str]]:
    """Give the position and the sentence of each failure, in the order of rows and columns."""
    rank = {column.name: i for i, column in enumerate(schema.columns)}
    whole = cases[cases["index"].isna()]
    if len(whole):
        case = whole.iloc[0]
        raise CrivoError(
            f"Column {case['column']!s}: the check {case['check']!r} could not be made "
            f"({case['failure_case']!r}); correct the dataset's schema."
        )
    cases = cases.assign(rank=cases["column"].map(rank)).sort_values(["index", "rank"])
    for position, name, check in zip(cases["index"], cases["column"], cases["check"], strict=True):
        yield int(position), _sentence(name, check)


def _sentence(name: str, check: str) -> str:
    if check == "not_nullable":
        return f"{name} is missing"
    if check == "field_uniqueness":
        return f"{name} is not unique"
    return f"{name} {check}"


def _too_many(reasons: pd.Series, total: int, limit: float) -> str:
    if total == 0:
        return "The raw data hold no rows; check the files in data/raw."
    table = "\n".join(f"{n:>10,}  {reason}" for reason, n in reasons.value_counts().items())
    return (
        f"{len(reasons):,} of {total:,} rows ({len(reasons) / total:.1%}) can't be used, more than "
        f"prepare.quarantine_limit allows ({limit:.1%}). Correct the data or its schema, or raise "
        f"the limit. The reasons:\n{table}"
    )
