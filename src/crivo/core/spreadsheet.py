"""Tables as people open them: no cell of text is taken for a formula."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from crivo.core.visible import visible

FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)*|\.\d+)([eE][-+]?\d+)?\s?%?")


def for_people(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts, and names of columns, no program of tables calculates.

    One that begins like a formula and isn't a number gets an apostrophe before it, as OWASP
    advises; characters that can't be seen are written out.
    """
    safe = table.copy(deep=False)
    for place, kind in enumerate(table.dtypes):
        if not is_numeric_dtype(kind):
            values = table.iloc[:, place]
            if (texts := _texts(values)) is not values:
                safe.isetitem(place, texts.array)
    safe.columns = pd.Index([_guarded(name) for name in table.columns])
    return safe


def _texts(values: pd.Series) -> pd.Series:
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.dtype.categories.dtype)
    texts = {value for value in values.tolist() if isinstance(value, str)}
    changed = {text: safe for text in texts if (safe := _guarded(text)) != text}
    return values.replace(changed) if changed else values


def _guarded(cell: Any) -> Any:
    """Return a cell that begins like a formula with an apostrophe before it.

    >>> _guarded("=1+1"), _guarded("-1.5"), _guarded("-a"), _guarded(-1)
    ("'=1+1", '-1.5', "'-a", -1)
    """
    if not isinstance(cell, str):
        return cell
    formula = FORMULA.match(cell) and not NUMBER.fullmatch(cell)
    return f"'{visible(cell)}" if formula else visible(cell)
