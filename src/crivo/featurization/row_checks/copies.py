"""Equal rows: are they copies of each other, or does chance make them of coarse values?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from crivo.core.stored_table import Rows
from crivo.featurization.row_checks.hashes import (
    at_equal_steps,
    column_hashes,
    count_in,
    row_hashes,
    sums_of_thirds,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

# Equal rows are reported from this share of the later split's rows on.
MANY = 0.01
# Rows of the later split that are looked at closely.
SAMPLE = 10_000
# Fewer values than this say nothing of a column, and so many rows nearly all.
MIN_VALUES, LOOK = 20, 1_000
# So many tables may have been put together, each of which counts its rows.
TABLES = 4
# Floats from here on are whole numbers, whatever they measure.
LARGEST = 2**53
# How many times more the odds of agreeing may be than the frequency of a value says: columns
# depend on each other, so rows that agree in the others agree in one more the more often.
TIMES_ODDS = 3.0
# So many standard errors more than chance makes are more than chance.
STANDARD_ERRORS = 2.0
# So many columns, in which any two can be left out in no time. Of more, the target speaks.
FEW_COLUMNS = 15
# Rows that a value's frequency counts for beside what its neighbours show.
PRIOR = 2.0
# Copies that a row may have and be rare.
FEW_COPIES = 3
# Rows that a value has not, at least: of a value that all have the odds aren't numbers.
SMALL = 1e-6


def names_rows(parts: Sequence[pd.Series]) -> bool:
    """Return whether a column names the rows, rather than describes them; a Series per split.

    Its texts or whole numbers differ in every row, or they count the rows, from the start again
    for each table that was put below another.
    """
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    if not may_name_rows(parts[0].head(LOOK)):
        return False
    values = pd.concat([part.dropna() for part in parts], ignore_index=True)
    if is_numeric_dtype(parts[0].dtype):
        return _whole(values) and (values.is_unique or _count_rows(values))
    return values.is_unique and not values.astype("str").str.contains(r"\s").any()


def may_name_rows(first: pd.Series) -> bool:
    """Return whether a column's first `LOOK` values leave it open that it names the rows."""
    from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

    some = first.dropna()  # most columns name no rows, and show it soon
    if is_bool_dtype(some.dtype) or is_datetime64_any_dtype(some.dtype):
        return False
    if some.nunique() < max(MIN_VALUES, len(some) / TABLES):
        return False
    return not is_numeric_dtype(some.dtype) or _whole(some)


def _whole(values: pd.Series) -> bool:
    return bool(((values % 1 == 0) & (values.abs() < LARGEST)).all())


def _count_rows(values: pd.Series) -> bool:
    """Return whether whole numbers count: without gaps, and each as often as any other."""
    counts = values.value_counts()
    gapless = int(values.max() - values.min()) + 1 == len(counts)
    return gapless and len(counts) >= len(values) / TABLES and int(counts.max() - counts.min()) <= 1


@dataclass(frozen=True)
class EqualRows:
    """How many of a later split's `rows` equal a row of an earlier one: `equal` of them.

    `copies` of these are more than chance explains, by an estimate.
    """

    earlier: str
    later: str
    equal: int
    rows: int
    copies: float

    @property
    def copied(self) -> bool:
        """Whether copies are many."""
        return self.copies >= MANY * self.rows

    @property
    def by_chance(self) -> int:
        return max(0, round(self.equal - self.copies))


class Keys:
    """Tables' rows as numbers, equal ones for equal rows, with one or two columns left out.

    The rows of the second and later tables stand below each other. Of the first table it keeps the
    rows that may be like one of these: rows that agree in all columns but two agree in all of one
    third of them.
    """

    def __init__(self, first: Rows, *others: pd.DataFrame, sums: np.ndarray | None = None) -> None:
        """Take tables of the same columns; `sums`: what `summed_hashes` gives of the first."""
        import numpy as np
        import pandas as pd

        self.rows = len(first)
        hashes, *hashes_of_others = [column_hashes(rows) for rows in (first, *others)]
        if sums is None:
            sums = sums_of_thirds(hashes, first)
        pairs = zip(hashes_of_others, others, strict=True)
        wanted = np.concatenate([sums_of_thirds(*pair) for pair in pairs], axis=1)
        near = np.zeros(self.rows, bool)
        for third, wanted_third in zip(sums, wanted, strict=True):
            near |= pd.Index(wanted_third).unique().get_indexer(pd.Index(third)) >= 0
        self.first, self.second = sums.sum(axis=0)[near], wanted.sum(axis=0)
        self.having: dict[str, np.ndarray] = {}
        self.columns: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for name in map(str, first.columns):
            one, other = hashes(name), np.concatenate([own(name) for own in hashes_of_others])
            self.having[name] = count_in(one, other)
            self.columns[name] = one[near], other

    def matches(self, left_out: Iterable[str] = ()) -> np.ndarray:
        """Return how many rows of the first table each of the second equals, but for columns."""
        first, second = self.first, self.second
        for name in left_out:
            first, second = first - self.columns[name][0], second - self.columns[name][1]
        return count_in(first, second)

    def odds(self, name: str, matches: np.ndarray) -> np.ndarray:
        """Return the odds that a row has a value, for each row of the second table.

        A few equal rows don't count: a value that copies alone have is a rare one.
        """
        import numpy as np

        copies = np.minimum(matches, FEW_COPIES)
        having: np.ndarray = self.having[name] - copies
        return having / np.maximum(SMALL, self.rows - having - copies)


def count_copies(
    first: Rows,
    others: Sequence[Rows],
    columns: Sequence[str],
    samples: Sequence[pd.DataFrame] = (),
    sums: np.ndarray | None = None,
) -> list[float]:
    """Return how many rows of each other table are copies of the first's, by an estimate.

    `samples`: what `at_equal_steps` gives of the others, where it is known; `sums`: what
    `summed_hashes` gives of the first.

    The target is the last of the columns. Rows that agree in all columns but one: copies agree in
    that one too, and rows that chance has made do so as often as its values repeat. The column
    counts that explains most.
    """
    import numpy as np

    names = list(columns)
    some = [
        rows[names] for rows in samples or [at_equal_steps(one[names], SAMPLE) for one in others]
    ]
    keys = Keys(first[names], *some, sums=sums)
    ends = np.cumsum([len(rows) for rows in some]).tolist()
    parts = [slice(end - len(rows), end) for rows, end in zip(some, ends, strict=True)]
    matches = keys.matches()
    closely = columns if len(columns) <= FEW_COLUMNS else columns[-1:]
    near = {name: keys.matches([name]) for name in columns}
    by_column = [
        _beyond_chance(keys, name, near, matches, name in closely, parts) for name in columns
    ]
    least = [max(0.0, min(copies)) for copies in zip(*by_column, strict=True)]
    return [
        copies * len(rows) / len(own) for copies, rows, own in zip(least, others, some, strict=True)
    ]


def mostly_chance(rows: pd.DataFrame, columns: Sequence[str]) -> bool:
    """Return whether chance explains most equal rows of a table, whose last column is the target.

    Two halves of the table are compared, dealt out at random: copies may stand anywhere.
    """
    import numpy as np

    second = np.random.default_rng(0).random(len(rows)) < 0.5
    one, other = rows.loc[~second, list(columns)], rows.loc[second, list(columns)]
    equal = int(row_hashes(other).isin(row_hashes(one)).sum())
    return equal > 0 and count_copies(one, [other], columns)[0] < equal / 2


def _beyond_chance(
    keys: Keys,
    name: str,
    near: dict[str, np.ndarray],
    matches: np.ndarray,
    closely: bool,
    parts: Sequence[slice],
) -> list[float]:
    """Return how many of the equal rows of each part one column doesn't explain.

    `near`: for each column, how many rows are equal but for it; `matches`: how many are equal.
    """
    import numpy as np

    odds = TIMES_ODDS * keys.odds(name, matches)
    if closely:
        odds = np.maximum(odds, _agreeing(keys, name, near, matches, odds))
    unlike = near[name] - matches
    surplus = (matches - unlike * odds) / np.maximum(1, matches)
    # Copies of rows that are unlike all others leave nothing to chance.
    variance = np.where(unlike > 0, np.minimum(near[name] * odds, np.maximum(1, odds)), 0)
    return [_beyond(surplus[part], variance[part], matches[part]) for part in parts]


def _beyond(surplus: np.ndarray, variance: np.ndarray, matches: np.ndarray) -> float:
    if surplus.sum() <= STANDARD_ERRORS * sqrt(float(variance.sum())):
        return 0.0
    return min(float(surplus.sum()), float((matches > 0).sum()))


def _agreeing(
    keys: Keys,
    name: str,
    near: dict[str, np.ndarray],
    matches: np.ndarray,
    odds: np.ndarray,
) -> np.ndarray:
    """Return the odds that rows which differ in one other column agree in this one, for each row.

    Other columns may say nearly all of it: then rows that are equal in these agree in it as well,
    copies or not.
    """
    same = PRIOR * odds / (1 + odds)
    unlike = PRIOR / (1 + odds)
    for other in keys.columns:
        if other != name:
            agree = near[other] - matches
            same = same + agree
            unlike = unlike + keys.matches([name, other]) - near[name] - agree
    found: np.ndarray = same / unlike
    return found
