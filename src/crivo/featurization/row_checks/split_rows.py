"""`SplitRows`: the prepared rows of all splits, as the checks of rows get them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd

from crivo.core.findings import Checks
from crivo.core.schema import Schema

# Rows that a costly check examines: enough to find blatant problems, and fast on any table.
SAMPLE = 10_000


class SplitRows:
    """The rows of each split, and their schema; `read` is asked once for each split's rows."""

    def __init__(self, schema: Schema, read: Callable[[str], pd.DataFrame]) -> None:
        self.schema, self.features = schema, list(schema.features)
        self.split = cache(read)

    def sample(self, split: str = "train") -> pd.DataFrame:
        """Return rows of a split at equal steps through the table."""
        return systematic_sample(self.split(split))


def systematic_sample(rows: pd.DataFrame) -> pd.DataFrame:
    """Return at most 10,000 rows at equal steps, always the same ones."""
    return rows.take(np.arange(0, len(rows), -(-len(rows) // SAMPLE) or 1))


ROW_CHECKS: Checks[SplitRows] = Checks()
check = ROW_CHECKS.check
