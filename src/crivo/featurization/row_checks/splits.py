"""L: are the splits really apart?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from crivo.core.artifacts import SPLITS
from crivo.core.findings import Found
from crivo.featurization.row_checks.split_rows import SplitRows, check

if TYPE_CHECKING:
    import pandas as pd

# Copies across splits are reported from this share of the later split's rows on, and only
# when there are so many times more than chance would give.
COPIES = 0.01
TIMES_CHANCE = 3


@check(
    "L001",
    "A row is in two splits",
    severity="error",
    example="train/valid: 12 values of `key` are in both splits; let the dataset give each row one "
    "id, and the splitter each id one split.",
)
def ids_apart(rows: SplitRows) -> Iterator[Found]:
    """A model that has seen a row at training knows its answer at evaluation."""
    advice = "let the dataset give each row one id, and the splitter each id one split"
    yield from _shared(rows, rows.schema.id, advice)


@check(
    "L002",
    "Copies of training rows among the held-out ones",
    severity="warning",
    example="train/test: 31 rows (4.2 %) equal a row of train in every feature and the target; "
    "drop duplicates in the dataset, or keep them in one split by a group.",
)
def copies_apart(rows: SplitRows) -> Iterator[Found]:
    """Copies under different ids are rows that the model has seen. Reported when they are one
    in a hundred or more, and three times as many as columns independent of each other would
    give: in a table with few values, equal rows aren't copies.
    """
    columns = [*rows.features, rows.schema.target]
    hashes = {split: _hashes(rows.split(split), columns) for split in SPLITS}
    for one, first, other, second in rows.pairs():
        copied = int(hashes[other].isin(hashes[one]).sum())
        many = copied and copied >= COPIES * len(second)
        if many and copied > TIMES_CHANCE * len(second) * _chance(first, columns):
            yield Found(
                f"{one}/{other}",
                f"{copied} rows ({100 * copied / len(second):.1f} %) equal a row of {one} in every "
                "feature and the target; drop duplicates in the dataset, or keep them in one "
                "split by a group.",
            )


@check(
    "L003",
    "A group is in two splits",
    severity="error",
    example="train/test: 40 values of `patient` are in both splits; use the splitter `by_group`.",
)
def groups_apart(rows: SplitRows) -> Iterator[Found]:
    """Rows of one group share what the model would have to find out: the patient, the machine.
    The schema says which column must stay in one split.
    """
    if group := rows.schema.group:
        yield from _shared(rows, group, "use the splitter `by_group`")


@check(
    "L004",
    "Training rows are later than held-out rows",
    severity="warning",
    example="train/valid: 96.0 % of the rows of valid are earlier than the last row of train by "
    "`date`; use the splitter `by_time`, unless predictions will be about the past.",
)
def time_apart(rows: SplitRows) -> Iterator[Found]:
    """A model will be used on rows that come after its training. If it is evaluated on rows from
    its training days, it knows what happened around them and looks better than it is.
    """
    if (time := rows.schema.time) is None:
        return
    for one, first, other, second in rows.pairs():
        overlap = float((second[time] < first[time].max()).mean())
        if overlap > 0:
            yield Found(
                f"{one}/{other}",
                f"{100 * overlap:.1f} % of the rows of {other} are earlier than the last row of "
                f"{one} by `{time}`; use the splitter `by_time`, unless predictions will be about "
                "the past.",
            )


def _shared(splits: SplitRows, column: str, advice: str) -> Iterator[Found]:
    """Report values of a column that two splits share."""
    # Sets: comparing texts in pandas takes ten times as long.
    values = {split: set(splits.split(split)[column].dropna().tolist()) for split in SPLITS}
    for one, other in combinations(SPLITS, 2):
        if shared := values[one] & values[other]:
            text = f"{len(shared)} values of `{column}` are in both splits; {advice}."
            yield Found(f"{one}/{other}", text)


def _hashes(rows: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    import pandas as pd

    return pd.util.hash_pandas_object(rows[list(columns)], index=False)


def _chance(rows: pd.DataFrame, columns: Sequence[str]) -> float:
    """Return the chance that a row equals one of these if columns were independent."""
    equal = 1.0
    for name in columns:
        shares = rows[name].value_counts(normalize=True, dropna=False)
        equal *= float((shares**2).sum())
    return 1 - (1 - equal) ** len(rows)
