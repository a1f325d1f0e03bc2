"""Numbers that stand for rows: equal ones for equal rows, and how many rows have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from crivo.core.inputs import TEXT
from crivo.core.stored_table import BATCH_ROWS, Rows, StoredTable

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def count_in(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return how often each wanted key is among the keys.

    >>> import numpy as np
    >>> count_in(np.array([3, 1, 3]), np.array([3, 2, 4])).tolist()
    [2, 0, 0]
    """
    import numpy as np
    import pandas as pd

    # The wanted keys are few, all keys may be millions: these are neither sorted nor hashed.
    different, places = np.unique(wanted, return_inverse=True)
    found = pd.Index(different).get_indexer(pd.Index(keys))
    counts: np.ndarray = np.bincount(found + 1, minlength=len(different) + 1)[1:]  # 0: not wanted
    return counts[places]


def row_hashes(rows: pd.DataFrame | pd.Series) -> pd.Series:
    """Return a number for each row, the same for equal ones; gaps are equal."""
    import pandas as pd

    starts = range(0, len(rows), BATCH_ROWS) if rows.ndim == 1 and rows.dtype == TEXT else (0,)
    if len(starts) <= 1:
        return pd.util.hash_pandas_object(rows, index=False)
    # pandas makes an object of each text.
    parts = (rows.iloc[start : start + BATCH_ROWS] for start in starts)
    return pd.concat([pd.util.hash_pandas_object(part, index=False) for part in parts])


def summed_hashes(
    rows: StoredTable, columns: Sequence[str], size: int
) -> tuple[np.ndarray, pd.DataFrame]:
    """Return sums of the hashes of each third of some columns, and what `at_equal_steps` gives.

    The sums are of shape (3, rows); together they are the same for rows equal in these columns.
    Each column is read once.
    """
    import numpy as np
    import pandas as pd

    places, sample = _equal_steps(len(rows), size), {}
    sums, numbers = np.zeros((3, len(rows)), "uint64"), {n: i for i, n in enumerate(columns)}
    factors = dict(_factors(columns))
    for name in rows.columns:
        values = rows[name]
        sample[name] = values.take(places)
        if name in factors:
            sums[numbers[name] % 3] += row_hashes(values).to_numpy() * factors[name]
    return sums, pd.DataFrame(sample)


def sums_of_thirds(hashes: Callable[[str], np.ndarray], rows: Rows) -> np.ndarray:
    """Return sums of the hashes of each third of the columns, of shape (3, rows)."""
    import numpy as np

    sums = np.zeros((3, len(rows)), "uint64")
    for i, name in enumerate(rows.columns):
        sums[i % 3] += hashes(name)
    return sums


def column_hashes(rows: Rows) -> Callable[[str], np.ndarray]:
    """Return a function that gives the hashes of a column; those of rows in memory are kept."""
    factors = dict(_factors(rows.columns))

    def hashes(name: str) -> np.ndarray:
        found: np.ndarray = row_hashes(rows[name]).to_numpy() * factors[name]
        return found

    return hashes if isinstance(rows, StoredTable) else cache(hashes)


def _factors(columns: Iterable[str]) -> Iterable[tuple[str, np.uint64]]:
    """Give each column with an odd number, so that sums differ by which column a value is in."""
    import numpy as np

    names = list(columns)
    factors = np.random.default_rng(0).integers(2**63, size=len(names), dtype="uint64") * 2 + 1
    return zip(names, factors, strict=True)


def at_equal_steps(rows: Rows, size: int) -> pd.DataFrame:
    """Return at most `size` rows, the same ones every time."""
    return rows.take(_equal_steps(len(rows), size))


def _equal_steps(rows: int, size: int) -> np.ndarray:
    import numpy as np

    return np.arange(0, rows, -(-rows // size) or 1)
