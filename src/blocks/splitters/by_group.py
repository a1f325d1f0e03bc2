"""Rows of one group stay in one split."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import NonNegativeInt, field_validator

from crivo.core.blocks import Splitter, block
from crivo.core.errors import CrivoError
from crivo.preparation.hash_split import Fraction, has_rows, leaves_training_rows

if TYPE_CHECKING:
    import pandas as pd

    from crivo.core.schema import Schema


@block
class ByGroup(Splitter):
    """Splits by a hash of the group column: no patient, customer or machine is in two splits.

    `valid`, `test`: the shares of the groups, up to chance; groups of unequal size make
    unequal shares of rows. Another `seed` deals anew, another `fold` takes other validation groups
    and the same test groups. Added groups move no old one. With `exact`, groups are put in the
    order of their hashes and cut just there, one for each split at least: for few groups. Added
    groups may then move the few next to a cut.
    """

    valid: Fraction = 0.2
    test: Fraction = 0.2
    seed: NonNegativeInt = 0
    fold: NonNegativeInt = 0
    exact: bool = False

    _leaves_training_rows = field_validator("test")(leaves_training_rows)
    _has_rows = field_validator("fold")(has_rows)

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row."""
        from crivo.preparation.group_split import exact_splits, groups_of
        from crivo.preparation.hash_split import places, splits

        if schema.group is None:
            raise CrivoError(
                "splitter by_group needs a group column and the dataset names none; "
                "name one, or use splitter: at_random or by_time."
            )
        groups = groups_of(rows, schema.group, "by_group")
        if self.exact:
            return exact_splits(groups, self.valid, self.test, self.seed, self.fold)
        return splits(places(groups, self.seed), self.valid, self.test, self.fold)
