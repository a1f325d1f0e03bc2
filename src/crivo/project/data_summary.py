"""Summary of a table: its columns, and what in it looks dangerous."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from crivo.core.layout import a_few, counted
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.evaluation.report.numbers import brief
from crivo.featurization.row_checks import ROW_CHECKS, SplitRows
from crivo.featurization.row_checks.copies import mostly_chance, names_rows
from crivo.preparation.tables.ids import without_copy
from crivo.project.request import FEW_OF_A_CLASS, FEW_ROWS, RARE
from crivo.project.suggestions import suggestions

MANY_MISSING = 0.5
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


def dangers(rows: pd.DataFrame, schema: Schema, splitter: str) -> list[str]:
    """Return what a person should look at before believing any result, a sentence each."""
    return [
        *_few(rows, schema),
        *_copies(rows, schema),
        *_empty(rows, schema),
        *suggestions(rows, schema, splitter),
        *_gives_away(rows, schema),
        *_wrong_split(rows, schema, splitter),
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


def _copies(rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    named = [name for name in schema.features if names_rows([rows[name]])]
    features = [name for name in schema.features if name not in named]
    columns = [*features, schema.target]
    copies = int(rows.duplicated(columns).sum())
    if not copies or not features:
        return
    but = f" but {a_few(named, SHOWN)}" if named else ""
    repeat = "1 row repeats" if copies == 1 else f"{copies:,} rows repeat"
    if mostly_chance(rows, columns):
        yield (
            f"{repeat} another in the target and every feature{but}, as expected by chance with "
            "so few distinct values: keep them."
        )
        return
    ids = rows[schema.id].dropna().astype("str")
    together = ids.map(lambda name: without_copy(name) != name).any()
    kept = " (at_random keeps them in one split)" if together else ""
    apart = ": take copies out of the file, or they are in several splits" if named else kept
    yield f"{repeat} another in the target and every feature{but}{apart}."


def _empty(rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    features = rows[list(schema.features)]
    different = features.nunique()
    empty = different.index[different == 0].tolist()
    constant = [name for name in different.index[different == 1] if features[name].notna().all()]
    if empty:
        yield f"Without any value, and not used: {a_few(empty, SHOWN)}."
    if constant:
        yield f"The same in every row, and not used: {a_few(constant, SHOWN)}."
    missing = features.isna().mean()
    mostly = missing.index[(missing > MANY_MISSING) & (missing < 1)].tolist()
    if mostly:
        yield f"Missing in more than half of the rows: {a_few(mostly, SHOWN)}."


def _gives_away(rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    """Find columns that are the target in another form, or are named like it."""
    exact = [*ROW_CHECKS["L006"].search(SplitRows(schema, lambda split: rows))]
    for names, _ in exact:
        verb, it = ("are", "them") if " + " in names else ("is", "it")
        yield (
            f"{names} {verb} the target in another form: --drop {it}, or the model learns nothing "
            "else."
        )
    for name in schema.features:
        named = schema.target.lower() in name.lower() and len(schema.target) > 2
        if named and all(name not in names.split(" + ") for names, _ in exact):
            yield f"{name} is named like the target: is it known when a prediction is made?"


def _wrong_split(rows: pd.DataFrame, schema: Schema, splitter: str) -> Iterator[str]:
    if not splitter.startswith("by_time"):
        dates = [name for name in schema.features if schema.column(name).type == "date"]
        if dates:
            yield (
                f"There are dates ({a_few(dates, SHOWN)}) and the split is not by time: if later "
                "rows are to be predicted from earlier ones, give the column as --time."
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
