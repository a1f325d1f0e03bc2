"""Broken featurizers: each breaks a promise that models don't give, and the suite says which."""

from pathlib import Path
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

from crivo.core.blocks import Featurizer, block
from crivo.core.schema import Column, Schema
from crivo.featurization.table import TableEncoder
from crivo.featurization.typed import TypedColumns
from crivo.modelfile import allowed as modeltrust
from crivo.testing import (
    ContractError,
    FakeFeaturizer,
    check_featurizer,
    example_rows,
    example_schema,
)

NUMBERS = ["amount", "pieces"]


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let model files hold the classes of this file, as they may those of a block's file."""
    package = __name__.rpartition(".")[0]
    monkeypatch.setitem(modeltrust.OWN_PACKAGES, package, Path(__file__).parent)


class Numbers(TransformerMixin, BaseEstimator):
    """A transformer in order, for the others to spoil."""

    def fit(self, X, y=None):
        self.columns_ = [name for name in X if name in NUMBERS and X[name].notna().any()]
        return self

    def transform(self, X):
        return X[self.columns_].astype("float64")


class Standardizing(Numbers):
    def transform(self, X):
        table = super().transform(X)
        return table - table.mean()


class Spelling(Numbers):
    def transform(self, X):
        return X[self.columns_].map(lambda number: float(len(str(number))))


class DroppingRows(Numbers):
    def transform(self, X):
        return super().transform(X).dropna()


class GivingObjects(Numbers):
    def transform(self, X):
        return super().transform(X).assign(kind=X["kind"].astype("object"))


class NewIndex(Numbers):
    def transform(self, X):
        return super().transform(X).set_axis(range(1, len(X) + 1))


class OneColumnPerKind(Numbers):
    def transform(self, X):
        dummies = pd.get_dummies(X["kind"], dtype=float)
        return super().transform(X).join(dummies)


class KnownKinds(Numbers):
    def fit(self, X, y=None):
        self.numbers_ = {name: i for i, name in enumerate(sorted(X["kind"].dropna().unique()))}
        return super().fit(X, y)

    def transform(self, X):
        kinds = [np.nan if pd.isna(name) else self.numbers_[name] for name in X["kind"]]
        return super().transform(X).assign(kind=np.array(kinds, dtype=float))


class KeepingEmpty(Numbers):
    def fit(self, X, y=None):
        self.columns_ = NUMBERS
        return self


class WholeTables(TypedColumns):
    """Says that it fits by column, and counts the rows that have a gap anywhere."""

    def __init__(self):
        super().__init__(NUMBERS)

    def fit(self, rows, target=None):
        self.gaps_ = int(rows.isna().any(axis=1).sum()) if isinstance(rows, pd.DataFrame) else 0
        return super().fit(rows)


def featurizer(transformer: type) -> Featurizer:
    """Return a featurizer that builds this transformer."""

    @block
    class Broken(Featurizer):
        """Builds what is broken."""

        def build(self, schema, seed):
            return transformer()

    return Broken()


BROKEN = [
    (DroppingRows, "answers_each_row", "give one row for each"),
    (GivingObjects, "answers_each_row", "neither numbers nor categories nor text"),
    (NewIndex, "answers_each_row", "another index than the rows"),
    (Standardizing, "rows_are_independent", "learn in `fit`, from training rows"),
    (Spelling, "takes_whole_numbers_as_either", "let the type of a column's numbers"),
    (OneColumnPerKind, "takes_missing_values", "became ['amount', 'pieces']"),
    (OneColumnPerKind, "takes_unseen_values", "'never seen']"),
    (WholeTables, "fits_by_column_as_it_says", "something else"),
    (KnownKinds, "takes_unseen_values", "KeyError: 'never seen'"),
    (KeepingEmpty, "gives_no_empty_column", "it gave amount without any value"),
]


@pytest.mark.parametrize(("broken", "check", "sentence"), BROKEN)
def test_the_suite_says_what_a_broken_featurizer_does_wrong(
    broken: type, check: str, sentence: str
) -> None:
    with pytest.raises(ContractError) as error:
        check_featurizer(featurizer(broken))
    findings = {breach.check: str(breach) for breach in error.value.breaches}
    assert check in findings, str(error.value)
    assert sentence in findings[check]


@block
class Named(Featurizer):
    """Takes the columns that it names, of each type."""

    def build(self, schema, seed):
        return TableEncoder(
            ["amount", "member"], ["kind", "city"], ["ordered"], ["remark"], components=3, seed=seed
        )


def test_a_featurizer_that_names_columns_is_checked_on_its_own() -> None:
    rows = example_rows()
    check_featurizer(Named(), schema=example_schema(), rows=rows)


def test_rows_after_training_must_get_the_columns_of_training() -> None:
    rows = example_rows()
    rows["kind"] = np.where(np.arange(len(rows)) % 2, "a", "b")  # every other row is unseen
    with pytest.raises(ContractError, match="same_columns_for_all_rows"):
        check_featurizer(featurizer(OneColumnPerKind), schema=example_schema(), rows=rows)


def test_a_featurizer_is_checked_on_the_rows_that_it_is_made_for() -> None:
    schema = Schema(
        task="regression",
        columns=(
            Column(name="key", role="id", type="text"),
            Column(name="price", role="target", type="number"),
            Column(name="size", role="feature", type="number"),
        ),
    )
    rows = pd.DataFrame({"key": list("abcdef"), "price": range(6), "size": np.arange(6) / 2})
    check_featurizer(FakeFeaturizer(), schema=schema, rows=rows)


@block
class OfOtherRows(FakeFeaturizer):
    """A featurizer that names columns."""

    needs = ("amount", "hour")


def test_a_featurizer_made_for_other_rows_is_not_checked() -> None:
    with pytest.raises(SkipTest, match="made for rows with hour, which these rows lack"):
        check_featurizer(OfOtherRows())
