"""Reads new rows: their columns' types are known, and a cell of another type is refused."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype

from crivo.core.errors import CrivoError
from crivo.core.schema import Schema
from crivo.preparation.tables.cells import day_comes_first
from crivo.preparation.tables.columns import Reading, clean, guess_decimal, is_text, typed

# So many different cells that mean missing are listed; more are mistakes.
MOST_ODD = 20


def read_features(
    raw: pd.DataFrame, schema: Schema, reading: Reading | None = None
) -> pd.DataFrame:
    """Return the columns of raw rows that the schema has, but for the target, in their types.

    Without a `reading`, the decimal mark is guessed from the rows. CrivoError: a feature's cell is
    not of its type. Another column that can't be read is clean text: no model asks for it.
    """
    known = {column.name: column.type for column in schema.columns if column.role != "target"}
    numbers = [name for name in schema.features if known[name] == "number" and name in raw]
    reading = reading or Reading(decimal=guess_decimal(raw[numbers]))
    reading = replace(reading, strict=True)
    read = {}
    for name in (str(name) for name in raw if name in known):
        if name in schema.features:
            read[name] = typed(raw[name], reading, known[name])
            continue
        read[name] = clean(raw[name], reading.missing) if is_text(raw[name]) else raw[name]
        with suppress(CrivoError):
            read[name] = typed(raw[name], reading, known[name])
    return pd.DataFrame(read, index=raw.index)


def read_as(
    raw: pd.DataFrame, rows: pd.DataFrame, reading: Reading, missing: Sequence[str]
) -> dict[str, Any]:
    """Return settings of `datasets.table` with which a new row alone is read as these were.

    They are the decimal mark, whether days come first, and cells such as `-` that counted as
    `missing` because they aren't numbers or dates. A cell that means something in another column
    isn't listed.
    """
    cells = {name: clean(raw[name], reading.missing) for name in raw if is_text(raw[name])}
    cells = {name: texts for name, texts in cells.items() if name in rows}
    days = {
        day_comes_first(pd.Series(texts.dropna().unique(), dtype="str"))
        for name, texts in cells.items()
        if is_datetime64_any_dtype(rows[name])
    }
    odd = {cell for name, texts in cells.items() for cell in texts[rows[name].isna()].dropna()}
    for name, texts in cells.items():
        odd -= set(texts[rows[name].notna() & texts.isin(odd)])
    listed = [cell for cell in sorted(odd) if pd.isna(pd.to_numeric(cell, errors="coerce"))]
    found: dict[str, Any] = {}
    if reading.decimal == ",":
        found["decimal"] = ","
    if days - {None} == {True}:
        found["day_first"] = True
    if listed and len(listed) <= MOST_ODD:
        found["missing"] = [*missing, *listed]
    return found
