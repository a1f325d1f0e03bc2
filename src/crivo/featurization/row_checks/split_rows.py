"""`SplitRows`: the prepared rows of all splits, as the checks of rows get them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.findings import Checks
from crivo.core.schema import Schema
from crivo.featurization.row_checks.duplicates import (
    EXACT,
    MANY,
    NEAR,
    EqualRows,
    count_copies,
    identifies_rows,
    robust_std,
    row_keys,
    systematic_sample,
)

# Rows that a costly check examines: enough to find blatant problems, and fast on any table.
SAMPLE = 10_000
# Rows of each split that are compared to find nearly equal ones.
NEAR_ROWS = 20_000


class SplitRows:
    """The rows of each split, and their schema; `read` is asked once for each split's rows."""

    def __init__(self, schema: Schema, read: Callable[[str], pd.DataFrame]) -> None:
        self.schema = schema
        self.split = cache(read)
        self.sample_of = cache(lambda split: systematic_sample(self.split(split), SAMPLE))

    def pairs(self) -> Iterator[tuple[str, pd.DataFrame, str, pd.DataFrame]]:
        """Yield each pair of splits with their rows, the one that should be earlier first."""
        for one, other in combinations(SPLITS, 2):
            yield one, self.split(one), other, self.split(other)

    @property
    def features(self) -> list[str]:
        """The columns that a model may use."""
        return list(self.schema.features)

    @property
    def sample(self) -> pd.DataFrame:
        """Training rows at equal steps through the table."""
        return self.sample_of("train")

    @cached_property
    def naming_columns(self) -> list[str]:
        """The features that identify the rows, like an id that nobody has declared."""
        parts = [self.split(split) for split in SPLITS]
        return [name for name in self.features if identifies_rows([part[name] for part in parts])]

    def copies(self) -> list[EqualRows]:
        """Return the copies of a split's rows in a later one, for each pair of splits with many.

        If there are none, these are copies with small differences.
        """
        features = [name for name in self.features if name not in self.naming_columns]
        if not features:
            return []
        columns = [*features, self.schema.target]
        found, spread = [*self._copies(columns, EXACT)], robust_std(self.sample, columns)
        for near in NEAR if spread else ():
            steps = {name: near * value for name, value in spread.items()}
            found = found or [*self._copies(columns, steps)]
        return found

    def _copies(self, columns: list[str], steps: Mapping[str, float]) -> Iterator[EqualRows]:
        parts: dict[str, pd.DataFrame] = {name: self.split(name) for name in SPLITS}
        if steps:
            parts = {name: systematic_sample(part, NEAR_ROWS) for name, part in parts.items()}
        keys = {name: row_keys(part, columns, steps) for name, part in parts.items()}
        for one, other in combinations(SPLITS, 2):
            equal, count = int(np.isin(keys[other], keys[one]).sum()), len(parts[other])
            if equal >= MANY * count > 0:
                copies = count_copies(parts[one], parts[other], columns, steps)
                if copies >= MANY * count:
                    yield EqualRows(one, other, equal, count, copies, bool(steps))


def checked_columns(schema: Schema) -> list[str]:
    """Return the columns that the checks need, including the features."""
    names = [schema.id, schema.target, schema.time, schema.group, *schema.features]
    return list(dict.fromkeys(name for name in names if name is not None))


ROW_CHECKS: Checks[SplitRows] = Checks()
check = ROW_CHECKS.check
