"""Splits rows at random, in the same way every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import NonNegativeInt, field_validator

from crivo import Schema, Splitter, block, hash_split

if TYPE_CHECKING:
    import pandas as pd


@block
class AtRandom(Splitter):
    """Splits by a hash of the id, so that added rows don't move old ones.

    `valid`, `test`: the approximate shares of the rows and of each class; they vary by chance.
    Another `seed` splits the rows differently; another `fold` selects other validation rows and
    keeps the test rows. With `exact`, the rows of each class are sorted by their hashes and cut at
    exact numbers, and the last row is always for training; this suits few rows or rare classes.
    Adding rows may then move a few rows near a cut into another split. Copies of one row (`table`
    names them `…~2`) stay together. Without `copies_together`, each copy is assigned separately,
    which is right if rows are equal by chance, as in a table with few coarse columns.
    """

    valid: hash_split.Fraction = 0.2
    test: hash_split.Fraction = 0.2
    seed: NonNegativeInt = 0
    fold: NonNegativeInt = 0
    exact: bool = False
    copies_together: bool = True

    _leaves_training_rows = field_validator("test")(hash_split.leaves_training_rows)
    _has_rows = field_validator("fold")(hash_split.has_rows)

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row."""
        ids = rows[schema.id].astype("str")
        dealt = hash_split.places(ids, self.seed, copies_together=self.copies_together)
        if self.exact:
            dealt = _in_order(dealt, rows[schema.target] if schema.classes else None)
        return hash_split.splits(dealt, self.valid, self.test, self.fold)


def _in_order(dealt: pd.Series, classes: pd.Series | None) -> pd.Series:
    """Return each row's place in its class, from 0 to 1: the middle of its step; the last has 1."""
    size: int | pd.Series = len(dealt)
    rank = dealt.rank(method="max")
    if classes is not None:
        order = dealt.groupby(classes.to_numpy())
        size, rank = order.transform("size"), order.rank(method="max")
    return ((rank - 0.5) / size).mask(rank == size, 1.0)
