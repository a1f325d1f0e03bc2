"""The summary of a table that `crivo start` prints: its columns, and likely problems in it."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from crivo.core.layout import a_few, counted
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.evaluation.report.numbers import brief
from crivo.featurization.row_checks import ROW_CHECKS, SplitRows
from crivo.featurization.row_checks.duplicates import identifies_rows
from crivo.project.request import FEW_OF_A_CLASS, FEW_ROWS, RARE
from crivo.project.split_choice import Split

# Fewer values than this tell nothing.
MIN_VALUES = 20
SHOWN = 8
SENTINELS = (-99, -999, -9999, -99999, 999, 9999, 99999)


def describe(rows: pd.DataFrame, schema: Schema) -> list[str]:
    """Return what the table holds, a line each: rows, target, columns by type, gaps."""
    lines = [f"{len(rows):,} rows, {len(schema.features)} features", _target(rows, schema)]
    for kind in ("number", "category", "boolean", "date", "text"):
        names = [name for name in schema.features if schema.column(name).type == kind]
        if names:
            lines.append(f"{kind:<9} {len(names)}: {a_few(names, SHOWN)}")
    role_columns = [column for column in schema.columns if column.role not in ("feature", "target")]
    lines.append(
        "roles     " + ", ".join(f"{column.role} {column.name}" for column in role_columns)
    )
    missing = rows[list(schema.features)].isna().mean().sort_values(ascending=False, kind="stable")
    missing = missing[missing > 0]
    if len(missing):
        shares = [f"{name} {100 * share:.1f} %" for name, share in missing.items()]
        lines.append(
            f"missing   {counted(len(missing), 'feature')} with gaps: {a_few(shares, SHOWN)}"
        )
    return lines


def dangers(table: pd.DataFrame, split: Split, schema: Schema, splitter: str) -> list[str]:
    """Return what a person should look at before believing any result, a sentence each.

    `split` has the rows of the table that can be used.
    """
    rows = split.rows
    return [
        *_few(table, schema),
        *_empty(rows, schema),
        *_ids(rows, schema),
        *_row_checks(split, schema),
        *_named_like_target(schema),
        *_not_by_time(schema, splitter),
        *_sentinels(rows, schema),
    ]


def _target(rows: pd.DataFrame, schema: Schema) -> str:
    values = rows[schema.target].dropna()
    line = f"target    {schema.target}: {schema.task}, "
    task = task_of(schema)
    if not task.has_classes:
        low, middle, high = values.quantile([0, 0.5, 1]).tolist()
        return line + f"from {brief(low)} to {brief(high)}, median {brief(middle)}"
    counts = values.value_counts()
    shares = [f"{name} {100 * counts[name] / len(values):.1f} %" for name in schema.classes]
    line += a_few(shares, SHOWN)
    return line + (f"; positive is {schema.positive}" if task.has_positive else "")


def _few(rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    if len(rows) < FEW_ROWS:
        yield (
            f"There are {len(rows)} rows: intervals will be wide, and few differences will be "
            "detectable."
        )
    if not task_of(schema).has_classes:
        return
    counts = rows[schema.target].value_counts()
    few = [f"{name} {counts[name]}" for name in schema.classes if counts[name] < FEW_OF_A_CLASS]
    if few:
        yield f"Classes of few rows can hardly be learned or evaluated: {a_few(few, SHOWN)}."
    rare = int((counts < RARE).sum())
    if rare and len(counts) > len(schema.classes):
        yield (
            f"{rare} classes have fewer than {RARE} rows; their rows will be set aside "
            "(datasets.table.min_class_rows)."
        )


def _empty(rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    features = rows[list(schema.features)]
    different = features.nunique()
    empty = different.index[different == 0].tolist()
    constant = [name for name in different.index[different == 1] if features[name].notna().all()]
    if empty:
        yield f"Without any value, and not used: {a_few(empty, SHOWN)}."
    if constant:
        yield f"The same in every row, and not used: {a_few(constant, SHOWN)}."


def _ids(rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    """Find columns that look like an id."""
    for name in schema.features:
        values, kind = rows[name].dropna(), schema.column(name).type
        if len(values) < MIN_VALUES or kind in ("boolean", "date") or not values.is_unique:
            continue
        if values.dtype.kind == "i":  # numbers that count the rows have few gaps
            names = int(values.max() - values.min()) < 2 * len(values)
        else:
            names = kind != "number" and identifies_rows([values])
        if names:
            yield (
                f"{name} has another value in every row: if it identifies the row, give it as "
                "--id; if not, consider --drop."
            )


def _row_checks(split: Split, schema: Schema) -> Iterator[str]:
    """Say what `featurize` would: copies of rows, the target in another form, alike rows."""
    parts = SplitRows(schema, lambda name: split.rows[split.splits == name])
    for code in ("L002", "L006", "L009"):
        yield from (f"{one.subject}: {one.message}" for one in ROW_CHECKS[code].findings(parts))


def _named_like_target(schema: Schema) -> Iterator[str]:
    for name in schema.features:
        if schema.target.lower() in name.lower() and len(schema.target) > 2:
            yield f"{name} is named like the target: is it known when a prediction is made?"


def _not_by_time(schema: Schema, splitter: str) -> Iterator[str]:
    dates = [name for name in schema.features if schema.column(name).type == "date"]
    if dates and not splitter.startswith("by_time"):
        yield (
            f"There are dates ({a_few(dates, SHOWN)}), but the split isn't by time: if the model "
            "will predict later rows from earlier ones, give the column as --time."
        )


def _sentinels(rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    for name in schema.features:
        if schema.column(name).type != "number":
            continue
        values = rows[name].dropna()
        for end in {values.min(), values.max()} if len(values) else ():
            rest = values[values != end].abs()
            if end in SENTINELS and len(rest) and rest.max() < abs(end) / 2:
                yield (
                    f"{name} is {end:g} in {int((values == end).sum()):,} rows: if that means "
                    "missing, add it to datasets.table.missing."
                )
