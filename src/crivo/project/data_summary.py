"""The summary of a table that `crivo start` prints: its columns, and likely problems in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from crivo.core.findings import Finding
from crivo.core.schema import Schema, Type
from crivo.core.tasks import task_of
from crivo.core.wording import a_few, counted
from crivo.evaluation.report.numbers import brief
from crivo.evaluation.tasks import LARGEST, MAX_LARGEST_FRACTION, largest_fraction
from crivo.featurization.row_checks import ROW_CHECKS, SplitRows
from crivo.featurization.row_checks.copies import identifies_rows
from crivo.project.split_choice import Split

# Of fewer rows, and of classes with fewer, not much is learned.
FEW_ROWS, FEW_OF_A_CLASS = 1_000, 100
# Fewer values than this tell nothing.
MIN_VALUES = 20
SHOWN = 8
SENTINELS = (-99, -999, -9999, -99999, 999, 9999, 99999)


def describe(rows: pd.DataFrame, schema: Schema) -> list[str]:
    """Return what the table holds, a line each: rows, target, columns by type, gaps, constants."""
    features = counted(len(schema.features), "feature")
    lines = [f"{len(rows):,} rows, {features}", _target(rows, schema)]
    for kind in ("number", "category", "boolean", "date", "text"):
        names = [name for name in schema.features if schema.column(name).type == kind]
        if names:
            lines.append(f"{kind:<9} {len(names)}: {a_few(names, SHOWN)}")
    roles = [one for one in schema.columns if one.role not in ("feature", "target")]
    lines.append("roles     " + ", ".join(f"{one.role} {one.name}" for one in roles))
    missing = rows[[*schema.features]].isna().mean().sort_values(ascending=False, kind="stable")
    gaps = [f"{name} {100 * share:.1f} %" for name, share in missing.items() if share]
    if gaps:
        lines.append(f"missing   {counted(len(gaps), 'feature')} with gaps: {a_few(gaps, SHOWN)}")
    same = [name for name in schema.features if rows[name].nunique(dropna=False) < 2]
    if same:
        lines.append(f"constant  {len(same)}: {a_few(same, SHOWN)}; not used as features")
    return lines


def _target(rows: pd.DataFrame, schema: Schema) -> str:
    values, task = rows[schema.target].dropna(), task_of(schema)
    line = f"target    {schema.target}: {schema.task}, "
    if not task.has_classes:
        low, middle, high = map(brief, values.quantile([0, 0.5, 1]))
        return line + f"from {low} to {high}, median {middle}"
    counts = values.value_counts()
    shares = [f"{name} {100 * counts[name] / len(values):.1f} %" for name in schema.classes]
    line += a_few(shares, SHOWN)
    return line + (f"; positive is {schema.positive}" if task.has_positive else "")


def dangers(table: pd.DataFrame, split: Split, schema: Schema, splitter: str) -> list[str]:
    """Return what a person should look at before believing any result, a sentence each.

    `split` has the rows of the table that can be used. What `featurize` would find in them is said
    as well: copies of rows, the target in another form, alike rows.
    """
    parts = SplitRows(schema, lambda name: split.rows[split.splits == name])
    found = [*_few(table, schema)]
    for code in ("L002", "L006", "L009"):
        reviewed = ROW_CHECKS[code].review(parts)
        found += (f"{one.subject}: {one.message}" for one in reviewed if isinstance(one, Finding))
    for name in schema.features:
        found += _odd(split.rows[name].dropna(), schema.column(name).type)
    dates = [name for name in schema.features if schema.column(name).type == "date"]
    if dates and not splitter.startswith("by_time"):
        found.append(
            f"There are dates ({a_few(dates, SHOWN)}), but the split isn't by time: if the model "
            "will predict later rows from earlier ones, name the column with --time."
        )
    return found


def _few(rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    if len(rows) < FEW_ROWS:
        yield (
            f"There are {len(rows)} rows: intervals will be wide, and few differences will be "
            "detectable."
        )
    if not task_of(schema).has_classes:
        yield from _heavy_tail(rows, schema)
        return
    counts = rows[schema.target].value_counts()
    few = [f"{name} {counts[name]}" for name in schema.classes if counts[name] < FEW_OF_A_CLASS]
    if few:
        yield f"Classes with few rows can hardly be learned or evaluated: {a_few(few, SHOWN)}."


def _heavy_tail(rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    """Find a target of which a few values decide every squared error, as `evaluate` does.

    There a row counts by its weight, so it does here.
    """
    known = rows.dropna(subset=schema.target)
    numbers, by, weight = known[schema.target].astype("float64"), "", pd.Series(1.0, known.index)
    if schema.weight is not None:
        by, weight = f" weighted by {schema.weight}", known[schema.weight].fillna(0).clip(lower=0)
    squares = (numbers - np.average(numbers, weights=weight)) ** 2
    fraction = largest_fraction((weight * squares).to_numpy())
    if len(numbers) >= MIN_VALUES and fraction > MAX_LARGEST_FRACTION:
        yield (
            f"{schema.target} has a heavy tail: the {100 * LARGEST:.0f} % of the rows that are "
            f"farthest from the mean make up {100 * fraction:.0f} % of the variance{by}, so they "
            "will decide rmse. Look at them; if their values are right, mae is affected less "
            "(`evaluators.standard.primary: mae`)."
        )


def _odd(values: pd.Series, kind: Type) -> Iterator[str]:
    """Find values that look like an id, and a number that means a gap."""
    name = values.name
    if len(values) >= MIN_VALUES and kind != "date" and values.is_unique:
        # Numbers that count the rows have few gaps; others may be measurements.
        counts = values.dtype.kind == "i" and values.max() - values.min() < 2 * len(values)
        if counts or (kind != "number" and identifies_rows([values])):
            yield (
                f"{name} has a different value in every row: if it identifies the row, name it "
                "with --id; if not, consider --drop."
            )
    for end in {values.min(), values.max()} if kind == "number" and len(values) else ():
        rest = values[values != end].abs()
        if end in SENTINELS and rest.max() < abs(end) / 2:
            found = counted(int((values == end).sum()), "row")
            yield (
                f"{name} is {end:g} in {found}: if that means missing, add it to "
                "datasets.table.missing."
            )
