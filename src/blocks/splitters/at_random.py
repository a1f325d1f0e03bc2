"""Chance deals the rows out, the same way every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import NonNegativeInt, field_validator

from crivo.core.blocks import Splitter, block
from crivo.core.tasks import task_of
from crivo.preparation.hash_split import Fraction, has_rows, leaves_training_rows

if TYPE_CHECKING:
    import pandas as pd

    from crivo.core.schema import Schema


@block
class AtRandom(Splitter):
    """Splits by a hash of the id, so that added rows move no old one.

    `valid`, `test`: the shares of the rows, and of each class, up to chance; another `seed`
    deals anew, another `fold` takes other validation rows and the same test rows. With
    `exact`, each class is put in the order of its hashes and cut just there, its last row
    always for training: for few rows or rare classes. Added rows may then move the few next to a
    cut. Copies of one row (`table` names them `…~2`) stay together. Without `copies_together` each
    is dealt out by itself: right where chance makes rows alike, as of few coarse columns.
    """

    valid: Fraction = 0.2
    test: Fraction = 0.2
    seed: NonNegativeInt = 0
    fold: NonNegativeInt = 0
    exact: bool = False
    copies_together: bool = True

    _leaves_training_rows = field_validator("test")(leaves_training_rows)
    _has_rows = field_validator("fold")(has_rows)

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row."""
        from crivo.preparation.hash_split import places, splits
        from crivo.preparation.tables.ids import without_copy

        ids = rows[schema.id].astype("str")
        dealt = places(ids.map(without_copy) if self.copies_together else ids, self.seed)
        if self.exact:
            classes = rows[schema.target] if task_of(schema).has_classes else None
            dealt = _in_order(dealt, classes)
        return splits(dealt, self.valid, self.test, self.fold)


def _in_order(dealt: pd.Series, classes: pd.Series | None) -> pd.Series:
    """Return each row's place in the order of its class: the middle of its step, the last one 1."""
    size: int | pd.Series = len(dealt)
    rank = dealt.rank(method="max")
    if classes is not None:
        order = dealt.groupby(classes.to_numpy())
        size, rank = order.transform("size"), order.rank(method="max")
    return ((rank - 0.5) / size).mask(rank == size, 1.0)
