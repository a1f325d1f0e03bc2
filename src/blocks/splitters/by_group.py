"""Rows of one group stay in one split."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import NonNegativeInt, field_validator

from crivo import CrivoError, Schema, Splitter, block, group_split, hash_split

if TYPE_CHECKING:
    import pandas as pd


@block
class ByGroup(Splitter):
    """Splits by a hash of the group column: no patient, customer or machine is in two splits.

    `valid`, `test`: the approximate shares of the groups, which vary by chance; groups of unequal
    size give unequal shares of rows. Another `seed` splits the groups differently; another `fold`
    selects other validation groups and keeps the test groups. Added groups don't move old ones.
    With `exact`, groups are sorted by their hashes and cut at exact numbers, with at least one
    group in each split; this suits few groups. Adding groups may then move a few groups near
    a cut into another split.
    """

    valid: hash_split.Fraction = 0.2
    test: hash_split.Fraction = 0.2
    seed: NonNegativeInt = 0
    fold: NonNegativeInt = 0
    exact: bool = False

    _leaves_training_rows = field_validator("test")(hash_split.leaves_training_rows)
    _has_rows = field_validator("fold")(hash_split.has_rows)

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row."""
        if schema.group is None:
            raise CrivoError(
                "splitter by_group needs a group column and the dataset names none; "
                "name one, or use splitter: at_random or by_time."
            )
        groups = group_split.groups_of(rows, schema.group, "by_group")
        if self.exact:
            return group_split.exact_splits(groups, self.valid, self.test, self.seed, self.fold)
        return hash_split.splits(
            hash_split.places(groups, self.seed), self.valid, self.test, self.fold
        )
