"""Broken splitters: each breaks a promise, and the contract suite says which."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Splitter, block
from crivo.testing import ContractError, FakeSplitter, check_splitter

SIDES = np.array(["train", "valid", "test"])


@block
class ByPosition(Splitter):
    """Deals out the rows as they come."""

    def split(self, rows, schema):
        return pd.Series(SIDES[np.arange(len(rows)) % 3], index=rows.index, dtype="str")


@block
class ByChance(Splitter):
    """Throws dice."""

    def split(self, rows, schema):
        drawn = np.random.default_rng().integers(0, 3, len(rows))
        return pd.Series(SIDES[drawn], index=rows.index, dtype="str")


@block
class AsArray(Splitter):
    """Forgets the index."""

    def split(self, rows, schema):
        return FakeSplitter().split(rows, schema).to_numpy()


@block
class OwnIndex(Splitter):
    """Answers for rows 0, 1, 2 and so on, whatever they are called."""

    def split(self, rows, schema):
        return FakeSplitter().split(rows, schema).reset_index(drop=True)


@block
class TrainOnly(Splitter):
    """Leaves nothing to judge by."""

    def split(self, rows, schema):
        return pd.Series("train", index=rows.index, dtype="str")


@block
class OtherNames(Splitter):
    """Has its own names for the splits."""

    def split(self, rows, schema):
        return FakeSplitter().split(rows, schema).replace("valid", "validation")


@block
class FillingGaps(Splitter):
    """Fills gaps in the rows that it was given."""

    def split(self, rows, schema):
        splits = FakeSplitter().split(rows, schema)
        rows["amount"] = rows["amount"].fillna(0)
        return splits


BROKEN = [
    (ByPosition, "rows_may_come_in_any_order", "decide by what is in a row"),
    (ByChance, "same_rows_same_splits", "use a hash of the id, or a fixed seed"),
    (AsArray, "a_row_gets_a_split", "return a Series with the rows' index"),
    (OwnIndex, "answers_in_the_rows_index", "the index changed"),
    (TrainOnly, "a_row_gets_a_split", "left valid and test empty"),
    (OtherNames, "a_row_gets_a_split", "the splits are train, valid, test"),
    (FillingGaps, "leaves_its_rows_alone", "split changed the table it was given"),
]


@pytest.mark.parametrize(("splitter", "check", "sentence"), BROKEN)
def test_the_suite_says_what_a_broken_splitter_does_wrong(
    splitter: type, check: str, sentence: str
) -> None:
    with pytest.raises(ContractError) as error:
        check_splitter(splitter(), tasks=["multiclass"])
    findings = {breach.check: str(breach) for breach in error.value.breaches}
    assert check in findings, str(error.value)
    assert sentence in findings[check]
