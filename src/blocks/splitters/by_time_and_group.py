"""Trains on earlier rows, evaluates on later rows of other groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import NonNegativeInt, field_validator

from crivo.core.blocks import Splitter, block
from crivo.core.errors import CrivoError
from crivo.preparation.hash_split import Fraction, leaves_training_rows
from crivo.preparation.time_split import Start, split_by_time

if TYPE_CHECKING:
    import pandas as pd

    from crivo.core.schema import Schema

NAME = "by_time_and_group"


@block
class ByTimeAndGroup(Splitter):
    """Splits by time, and leaves no group in two splits: later rows of unseen groups are evaluated.

    `valid_from`, `test_from` as in `by_time`. A group that has rows in several splits stays in
    one of them, which a hash of the group chooses: `valid` and `test` are the fractions of such
    groups that go there, and another `seed` deals anew. Their rows of other times are set aside,
    with that reason; the more the longer groups last.
    """

    sets_aside: ClassVar[str] = "its group is in another split"

    valid_from: Start = 0.6
    test_from: Start = 0.8
    valid: Fraction = 0.25
    test: Fraction = 0.25
    seed: NonNegativeInt = 0

    _leaves_training_rows = field_validator("test")(leaves_training_rows)

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row, missing for those set aside."""
        from crivo.preparation.group_split import choose_splits, groups_of

        if schema.group is None:
            raise CrivoError(
                f"splitter {NAME} needs a time and a group column, and the dataset names no group; "
                "name one, or use splitter: by_time."
            )
        times = None if schema.time is None else rows[schema.time]
        splits = split_by_time(times, (self.valid_from, self.test_from), NAME)
        groups = groups_of(rows, schema.group, NAME)
        weights = {"test": self.test, "valid": self.valid, "train": 1 - self.valid - self.test}
        return splits.where(splits == choose_splits(groups, splits, weights, self.seed))
