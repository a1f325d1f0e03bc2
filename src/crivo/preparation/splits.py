"""Calls a splitter block on a table, and checks its answer: a split for each row, none empty."""

from __future__ import annotations

import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.blocks import Splitter
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema
from crivo.preparation.quarantine import REASON


def split_rows(
    splitter: Splitter, name: str, rows: pd.DataFrame, schema: Schema
) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame]:
    """Return the rows that a splitter deals out, the split of each, and those set aside.

    The last carry a column `reason`. CrivoError: the splitter's answer can't be used.
    """
    splits = splitter.split(rows, schema)
    check_split_labels(splits, rows, schema, name, may_set_aside=splitter.sets_aside is not None)
    out = splits.isna()
    tables = (rows[~out], splits[~out], rows[out].assign(**{REASON: splitter.sets_aside}))
    return tuple(table.reset_index(drop=True) for table in tables)  # type: ignore[return-value]


def check_split_labels(
    splits: pd.Series,
    rows: pd.DataFrame,
    schema: Schema,
    splitter: str,
    *,
    may_set_aside: bool = False,
) -> None:
    """Raise CrivoError when a splitter's answer can't be used.

    Each row is `train`, `valid` or `test`, or missing where the splitter `may_set_aside` rows;
    no split is empty; every class is in training.
    """
    if len(splits) != len(rows) or not splits.index.equals(rows.index):
        raise CrivoError(
            f"splitter {splitter} gave splits for {len(splits)} rows instead of the {len(rows)} "
            "given in their order; it must return a Series with the index of the rows."
        )
    strange = splits[~splits.isin(SPLITS) & ~(splits.isna() & may_set_aside)]
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
