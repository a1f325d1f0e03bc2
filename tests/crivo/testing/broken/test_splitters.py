"""Broken splitters: each breaks a promise, and the contract suite says which."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Splitter, block
from crivo.testing import ContractError, FakeSplitter, check_splitter

SPLITS = np.array(["train", "valid", "test"])


@block
class ByPosition(Splitter):
    """Deals out the rows as they come."""

    def split(self, rows, schema):
        return pd.Series(SPLITS[np.arange(len(rows)) % 3], index=rows.index, dtype="str")


@block
class ByChance(Splitter):
    """Throws dice."""

    def split(self, rows, schema):
        drawn = np.random.default_rng().integers(0, 3, len(rows))
        return pd.Series(SPLITS[drawn], index=rows.index, dtype="str")


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
    """Leaves nothing to evaluate on."""

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


class Folding(Splitter):
    """Has settings for folds; `split` is that of the fake splitter, whatever they are."""

    def split(self, rows, schema):
        return FakeSplitter().split(rows, schema)


@block
class SameFolds(Folding):
    """Takes the same validation rows in each fold."""

    valid: float = 0.2
    test: float = 0.2
    fold: int = 0


@block
class FoldsOnTestRows(Folding):
    """Takes the test rows for a fold."""

    number: int = 0

    def split(self, rows, schema):
        splits = FakeSplitter().split(rows, schema)
        return splits.replace({"valid": "test", "test": "valid"}) if self.number else splits

    def folds(self, count, first_time):
        return {"first": {"number": 0}, "second": {"number": 1}}


@block
class FoldsOfOtherSettings(Folding):
    """Changes a setting for its folds that it doesn't have."""

    def folds(self, count, first_time):
        return {f"part {number}": {"part": number} for number in range(count)}


BROKEN = [
    (ByPosition, "rows_may_come_in_any_order", "decide by what is in a row"),
    (ByChance, "same_rows_same_answers", "use a hash of the id, or a fixed seed"),
    (AsArray, "a_row_gets_a_split", "return a Series with the rows' index"),
    (OwnIndex, "answers_in_the_rows_index", "the index changed"),
    (TrainOnly, "a_row_gets_a_split", "left valid and test empty"),
    (OtherNames, "a_row_gets_a_split", "the splits are train, valid, test"),
    (FillingGaps, "leaves_its_rows_alone", "split changed the table it was given"),
    (SameFolds, "folds_take_each_row_once", "part 2 takes validation rows of another fold"),
    (FoldsOnTestRows, "folds_take_each_row_once", "second takes test rows for validation"),
    (
        FoldsOfOtherSettings,
        "folds_take_each_row_once",
        "part 0 changes part, which isn't a setting",
    ),
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
