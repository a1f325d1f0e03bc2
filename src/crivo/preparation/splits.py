"""The three splits of a split, and what must hold of them."""

from __future__ import annotations

import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema


def check_split(splits: pd.Series, rows: pd.DataFrame, schema: Schema, splitter: str) -> None:
    """Raise CrivoError when a splitter's answer can't be used.

    Each row is `train`, `valid` or `test`; no split is empty; every class is in training.
    """
    if len(splits) != len(rows) or not splits.index.equals(rows.index):
        raise CrivoError(
            f"splitter {splitter} answered for {len(splits)} rows, not for the {len(rows)} given "
            "in their order; it must return a Series with the index of the rows."
        )
    strange = splits[~splits.isin(SPLITS)]
    if len(strange):
        raise CrivoError(
            f"splitter {splitter} put {len(strange)} rows on {strange.iloc[0]!r}; "
            f"the splits are {', '.join(SPLITS)}."
        )
    empty = [split for split in SPLITS if not (splits == split).any()]
    if empty:
        counts = ", ".join(f"{split} {int((splits == split).sum())}" for split in SPLITS)
        raise CrivoError(
            f"splitter {splitter} left {' and '.join(empty)} empty ({counts}); "
            f"change splitters.{splitter} in params.yaml."
        )
    taught = rows.loc[splits == "train", schema.target].unique() if schema.classes else ()
    lacking = [str(name) for name in schema.classes if name not in taught]
    if lacking:
        raise CrivoError(
            f"splitter {splitter} left no training row of the class {', '.join(lacking)} of "
            f"{schema.target}; change splitters.{splitter} in params.yaml or drop the class."
        )
