"""Trains on earlier rows, evaluates on later rows of other groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import NonNegativeInt, field_validator

from crivo import CrivoError, Schema, Splitter, block, group_split, hash_split, time_split

if TYPE_CHECKING:
    import pandas as pd

NAME = "by_time_and_group"


@block
class ByTimeAndGroup(Splitter):
    """Splits by time and by group: models are evaluated on later rows of unseen groups.

    `valid_from`, `test_from` as in `by_time`. A group that has rows in several splits stays in one
    of them, which a hash of the group chooses: `valid` and `test` are the fractions of such groups
    that go to these splits, and another `seed` distributes them differently. Rows of these groups
    in the periods of other splits are set aside, and the reason is recorded; the longer the groups
    last, the more rows this affects.
    """

    sets_aside: ClassVar[str] = "its group is in another split"

    valid_from: time_split.Start = 0.6
    test_from: time_split.Start = 0.8
    valid: hash_split.Fraction = 0.25
    test: hash_split.Fraction = 0.25
    seed: NonNegativeInt = 0

    _leaves_training_rows = field_validator("test")(hash_split.leaves_training_rows)

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row, missing for those set aside."""
        if schema.group is None:
            raise CrivoError(
                f"splitter {NAME} needs a time and a group column, and the dataset names no group; "
                "name one, or use splitter: by_time."
            )
        times = None if schema.time is None else rows[schema.time]
        splits = time_split.split_by_time(times, (self.valid_from, self.test_from), NAME)
        groups = group_split.groups_of(rows, schema.group, NAME)
        weights = {"test": self.test, "valid": self.valid, "train": 1 - self.valid - self.test}
        return splits.where(splits == group_split.choose_splits(groups, splits, weights, self.seed))
