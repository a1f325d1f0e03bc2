"""The three sides of a split, and what must hold of them."""

from __future__ import annotations

import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema


def check_sides(sides: pd.Series, rows: pd.DataFrame, schema: Schema, splitter: str) -> None:
    """Raise CrivoError when a splitter's answer can't be used.

    Each row is `train`, `valid` or `test`; no side is empty; every class is in training.
    """
    if len(sides) != len(rows) or not sides.index.equals(rows.index):
        raise CrivoError(
            f"splitter {splitter} answered for {len(sides)} rows, not for the {len(rows)} given "
            "in their order; it must return a Series with the index of the rows."
        )
    strange = sides[~sides.isin(SPLITS)]
    if len(strange):
        raise CrivoError(
            f"splitter {splitter} put {len(strange)} rows on {strange.iloc[0]!r}; "
            f"the sides are {', '.join(SPLITS)}."
        )
    empty = [side for side in SPLITS if not (sides == side).any()]
    if empty:
        counts = ", ".join(f"{side} {int((sides == side).sum())}" for side in SPLITS)
        raise CrivoError(
            f"splitter {splitter} left {' and '.join(empty)} empty ({counts}); "
            f"change splitters.{splitter} in params.yaml."
        )
    taught = rows.loc[sides == "train", schema.target].unique() if schema.classes else ()
    lacking = [str(name) for name in schema.classes if name not in taught]
    if lacking:
        raise CrivoError(
            f"splitter {splitter} left no training row of the class {', '.join(lacking)} of "
            f"{schema.target}; change splitters.{splitter} in params.yaml or drop the class."
        )
