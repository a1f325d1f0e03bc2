"""Functions for splitter blocks: split rows so that each group stays together.

`exact_splits` cuts the groups, in the order of their hashes, at exact numbers (`by_group` with
`exact`). `choose_splits` picks one of the splits that a group's rows fall into
(`by_time_and_group`). A share of the groups by their hashes alone is in `hash_split`.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.preparation.hash_split import places

MIN_GROUPS = 3


def groups_of(rows: pd.DataFrame, column: str, splitter: str) -> pd.Series:
    """Return each row's group as text, or raise a CrivoError if some rows have none."""
    groups = rows[column]
    if groups.isna().any():
        raise CrivoError(
            f"splitter {splitter}: {column} is missing in {groups.isna().sum()} of "
            f"{len(rows)} rows; fill it, or make it not nullable, so that they are set aside."
        )
    return groups.astype("str")


def exact_splits(
    groups: pd.Series, valid: float, test: float, seed: int, fold: int = 0
) -> pd.Series:
    """Return each row's split: a hash orders the groups; each split gets an exact number of them.

    Each split gets a group at least. Another `fold` takes the next groups for validation; the
    test groups stay. CrivoError: there are fewer than three groups, or none is left for the fold.
    """
    unique = pd.Series(groups.unique(), dtype="str")
    names = unique[places(unique, seed).argsort()].tolist()
    if len(names) < MIN_GROUPS:
        raise CrivoError(
            f"splitter by_group: three splits need at least 3 groups, and {groups.name} "
            f"has {len(names)}; use splitter: at_random, or a finer column."
        )
    tested = max(1, round(test * len(names)))
    validated = min(max(1, round(valid * len(names))), len(names) - tested - 1)
    start = tested + fold * validated
    chosen = names[start : start + validated]
    if not chosen:
        raise CrivoError(
            f"splitter by_group: {len(names)} groups, {tested} of them for the test, leave none "
            f"for fold {fold}; use fewer folds."
        )
    splits = dict.fromkeys(names, "train") | dict.fromkeys(names[:tested], "test")
    return groups.map(splits | dict.fromkeys(chosen, "valid")).astype("str")


def choose_splits(
    groups: pd.Series, splits: pd.Series, weights: Mapping[str, float], seed: int
) -> pd.Series:
    """Return each row's split: a hash puts each group into one of the splits that it has rows in.

    A split with a larger weight gets more of them.

    >>> groups, splits = pd.Series(["a", "a", "b"]), pd.Series(["train", "valid", "test"])
    >>> choose_splits(groups, splits, {"test": 1, "valid": 1, "train": 0}, seed=0).tolist()
    ['valid', 'valid', 'test']
    """
    touched = pd.crosstab(groups.to_numpy(), splits.to_numpy()).gt(0)
    weighted = touched.reindex(columns=list(weights), fill_value=False) * pd.Series(weights)
    bounds = weighted.cumsum(axis="columns").div(weighted.sum(axis="columns"), axis="index")
    place = places(pd.Series(bounds.index, index=bounds.index, dtype="str"), seed)
    return groups.map(bounds.gt(place, axis="index").idxmax(axis="columns"))
