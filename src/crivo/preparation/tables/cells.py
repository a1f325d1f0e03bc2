"""What no cell can hold, and when so many cells can be read that a column has a type."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError

# A column has a type, such as number or date, when this share of its different values has.
MIN_PARSED_FRACTION = 0.95
SAMPLE = 500

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
# What a cell of a Parquet file may hold.
INSIDE = (list, tuple, set, dict, np.ndarray)


def require_single_values(values: pd.Series) -> None:
    """Raise CrivoError where a cell holds a list or a record, as Parquet files can."""
    if values.dtype != object:
        return
    inside = values[values.map(lambda cell: isinstance(cell, INSIDE))]
    if len(inside):
        what = "records" if isinstance(inside.iloc[0], dict) else "lists"
        raise CrivoError(
            f"Column {values.name!r} holds {what} (such as {str(inside.iloc[0])[:40]}), which "
            "aren't single values; spread them over columns, or leave it out (datasets.table.drop, "
            "`crivo start --drop`)."
        )


def has_control_characters(texts: pd.Series) -> bool:
    """Say whether any text holds what no report can show."""
    return bool(texts.str.contains(CONTROL, na=False).any())


def without_control_characters(texts: pd.Series) -> pd.Series:
    """Return the texts without such characters.

    >>> without_control_characters(pd.Series(["bell\\x07"])).tolist()
    ['bell']
    """
    return texts.str.replace(CONTROL, "", regex=True).str.strip()


def fits(converted: pd.Series) -> bool:
    """Whether so many values could be converted that the column has this type."""
    return bool(converted.notna().mean() >= MIN_PARSED_FRACTION)


def sample_of(texts: pd.Series, codes: np.ndarray | None = None) -> pd.Series:
    """Return some of the values, evenly from their sorted order; the rows' order doesn't matter.

    `codes`: the place of each row's value among different texts, below 0 for none.

    >>> sample_of(pd.Series(["b", "a"]), np.array([0, -1, 1, 0])).tolist()
    ['a', 'b', 'b']
    """
    order = texts.sort_values()
    if codes is None:
        ends = np.arange(1, len(texts) + 1)
    else:
        ends = np.bincount(codes[codes >= 0], minlength=len(texts))[order.index].cumsum()
    rows = int(ends[-1]) if len(ends) else 0
    places = np.linspace(0, rows - 1, min(SAMPLE, rows)).astype(int)
    return order.iloc[np.searchsorted(ends, places, side="right")].reset_index(drop=True)
