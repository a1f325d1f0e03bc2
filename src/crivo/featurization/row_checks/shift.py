"""Check T001: held-out rows are distributed differently from training rows."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
import pandas as pd

from crivo.core.findings import Found
from crivo.core.wording import a_few
from crivo.featurization.row_checks.split_rows import SplitRows, check, systematic_sample
from crivo.featurization.row_checks.strength import as_number_or_code

LEVEL = 0.01
# The largest difference that doesn't matter, on a scale from 0 to 1.
TRIFLE = 0.1
SHOWN = 5
# Rarer names count as one name: otherwise, they alone would make a column with many names differ.
RARE = 0.001


@check(
    "T001",
    "Held-out rows are distributed differently from training rows",
    severity="note",
    example="valid: the distribution differs from that in train in 3 of 31 columns (temp 0.42, "
    "season 0.31, late 0.11); expect different metric values there, and compare models only on the "
    "same rows.",
)
def shifted(rows: SplitRows) -> Iterator[Found]:
    """In a split by time, the held-out rows usually differ somewhat from the training rows, so a
    single note covers both splits and all columns. In a random split, a difference is a sign of a
    mistake.

    The check uses the Kolmogorov-Smirnov statistic for numbers and the total variation distance for
    categories; a missing value counts as a value. It reports a shift of 0.1 or more if it is
    significant at the level 0.01 divided by the number of columns. So it reports neither small
    shifts in large tables nor chance shifts among many columns. It uses one row per group, because
    rows of a group are similar, and it doesn't read the targets of the test rows.
    """
    train, target = independent_rows(rows, "train"), rows.schema.target
    found: dict[str, dict[str, float]] = {}
    for name, columns in (("valid", [*rows.features, target]), ("test", rows.features)):
        other = independent_rows(rows, name)
        tests = {column: difference(train[column], other[column]) for column in columns}
        level = LEVEL / len(columns)
        found[name] = {c: size for c, (size, p) in tests.items() if size >= TRIFLE and p <= level}
    found = {name: moved for name, moved in found.items() if moved}
    count, usual = len(rows.features) + 1, ""
    if found and _all_later(rows):
        usual = "as is usual for later rows, "
        largest = pd.DataFrame(found).max(axis=1)
        found = {" and ".join(found): dict(zip(map(str, largest.index), largest, strict=True))}
    for name, moved in found.items():
        largest_first = sorted(moved, key=lambda column: -moved[column])
        listed = a_few((f"{column} {moved[column]:.2f}" for column in largest_first), SHOWN)
        yield Found(
            name,
            f"{usual}the distribution differs from that in train in {len(moved)} of "
            f"{count - (name == 'test')} columns ({listed}); expect different metric values there, "
            "and compare models only on the same rows.",
        )


def _all_later(rows: SplitRows) -> bool:
    """Return whether the held-out rows come after all training rows, as after a split by time."""
    if (time := rows.schema.time) is None:
        return False
    last = rows.split("train")[time].max()
    return all(bool((rows.split(name)[time] >= last).all()) for name in ("valid", "test"))


def independent_rows(rows: SplitRows, split: str) -> pd.DataFrame:
    """Return rows of a split at equal steps; if there are groups, one row of each group."""
    part = rows.split(split)
    if not (group := rows.schema.group):
        return systematic_sample(part)
    first = part[group].isna() | ~part[group].duplicated()
    return part.loc[systematic_sample(part.loc[first, [group]]).index]


def difference(one: pd.Series, other: pd.Series) -> tuple[float, float]:
    """Return the difference between the distributions of two samples, 0 to 1, and the p-value."""
    if not len(one) or not len(other):
        return 0.0, 1.0
    return (_of_numbers if one.dtype.kind in "iufM" else _of_names)(one, other)


def _of_numbers(one: pd.Series, other: pd.Series) -> tuple[float, float]:
    """The test of Kolmogorov and Smirnov (1939); its p-value is too large for few rows."""
    from scipy.special import kolmogorov

    first, second = (
        np.sort(np.nan_to_num(as_number_or_code(values), nan=-np.inf)) for values in (one, other)
    )
    both = np.concatenate([first, second])
    below = [np.searchsorted(each, both, side="right") / len(each) for each in (first, second)]
    size = float(np.abs(below[0] - below[1]).max())
    return size, float(kolmogorov(size * sqrt(len(first) * len(second) / len(both))))


def _of_names(one: pd.Series, other: pd.Series) -> tuple[float, float]:
    """The total variation distance, and Pearson's (1900) chi-squared test without correction."""
    from scipy.special import chdtrc

    names = [values.astype("object").fillna("").astype("str") for values in (one, other)]
    counts = pd.concat([each.value_counts() for each in names], axis=1).fillna(0)
    rare = counts.sum(axis=1) < RARE * counts.to_numpy().sum()
    if rare.any():
        counts = pd.concat([counts[~rare], counts[rare].sum().to_frame().T])
    if len(counts) < 2:
        return 0.0, 1.0
    cells = counts.to_numpy()
    expected = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
    squared = ((cells - expected) ** 2 / expected).sum()
    size = np.ptp(cells / cells.sum(axis=0), axis=1).sum() / 2
    return float(size), float(chdtrc(len(cells) - 1, squared))
