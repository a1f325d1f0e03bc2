"""Row ids: a hash of the row's content, or the declared id columns joined; never the row number."""

from __future__ import annotations

import hashlib
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from crivo.core.inputs import as_text
from crivo.preparation.tables.columns import clean

# Stands before the number of a copy: the second of two equal rows is `name~2`.
COPY = "~"


def content_ids(rows: pd.DataFrame) -> pd.Series:
    """Return a hash of each row's content; equal rows are counted: `name`, `name~2` and so on.

    The order of rows and columns doesn't matter, so that rows can be added anywhere.

    >>> ids = content_ids(pd.DataFrame({"a": ["1", "2", "1"]}))
    >>> ids[2] == ids[0] + "~2"
    True
    """
    texts = _joined([as_text(rows[name]).fillna("") for name in sorted(rows.columns)], "\x1f")
    hashes = [hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for text in texts]
    names = pd.Series(hashes, index=rows.index, dtype="str")
    copies = names.groupby(names).cumcount()
    return names.where(copies == 0, names + COPY + (copies + 1).astype("str"))


def joined_ids(rows: pd.DataFrame, missing: frozenset[str]) -> pd.Series:
    """Return the text of the named columns, joined by `|`; missing where one of them is.

    >>> joined_ids(pd.DataFrame({"shop": ["a", "b"], "day": [1.0, 2.0]}), frozenset()).tolist()
    ['a|1', 'b|2']
    """
    parts = [clean(rows[name], missing) for name in rows.columns]
    if len(parts) > 1:  # "a|b" and "c" must differ from "a" and "b|c"
        parts = [part.str.replace(r"([\\|])", r"\\\1", regex=True) for part in parts]
    return pd.Series(_joined(parts, "|"), index=rows.index, dtype="str")


def without_copy(name: str) -> str:
    """Return an id without the number of its copy.

    >>> without_copy("3f9c~12"), without_copy("order 7")
    ('3f9c', 'order 7')
    """
    base, mark, count = name.rpartition(COPY)
    return base if mark and count.isdigit() else name


def _joined(parts: list[pd.Series], mark: str) -> list[Any]:
    """Return the texts of each row, joined; missing where one of them is."""
    texts = [pa.array(part, pa.large_string()) for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar(mark, pa.large_string())).to_pylist()
