"""Broken featurizers: each breaks a promise, and the contract suite says which."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from crivo.core import modeltrust
from crivo.core.blocks import Featurizer, block
from crivo.core.schema import Column, Schema
from crivo.featurization.table import TableEncoder
from crivo.featurization.typed import TypedColumns
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


class Jittering(Numbers):
    def fit(self, X, y=None):
        self.shift_ = float(np.random.default_rng().normal())
        return super().fit(X, y)

    def transform(self, X):
        return super().transform(X) + self.shift_


class FillingGaps(Numbers):
    def transform(self, X):
        X["amount"] = X["amount"].fillna(0)
        return super().transform(X)


class OneColumnPerKind(Numbers):
    def transform(self, X):
        dummies = pd.get_dummies(X["kind"], dtype=float)
        return super().transform(X).join(dummies)


class Peeking(Numbers):
    def fit(self, X, y=None):
        path = Path("data/prepared/test.parquet")
        rows = pd.read_parquet(path) if path.exists() else X
        self.mean_ = float(rows["amount"].mean())
        return super().fit(X, y)

    def transform(self, X):
        return super().transform(X).fillna(self.mean_)


class NoGaps(Numbers):
    def transform(self, X):
        if X["pieces"].isna().any():
            raise ValueError("pieces has gaps")
        return super().transform(X)


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


class Counting(Numbers):
    fits = 0

    def fit(self, X, y=None):
        Counting.fits += 1
        self.fits_ = Counting.fits
        return super().fit(X, y)


class Remembering(Numbers):
    def transform(self, X):
        self.seen_ = getattr(self, "seen_", 0) + len(X)
        return super().transform(X)


class Strict(Numbers):
    def __init__(self, degree=1):
        self.degree = degree + 1


class WholeTables(TypedColumns):
    """Says that it fits by column, and counts the rows that have a gap anywhere."""

    def __init__(self):
        super().__init__(NUMBERS)

    def fit(self, rows, target=None):
        self.gaps_ = int(rows.isna().any(axis=1).sum()) if isinstance(rows, pd.DataFrame) else 0
        return super().fit(rows)


@block
class AlreadyFitted(Featurizer):
    """Fits in `build`."""

    def build(self, schema, seed):
        return TypedColumns(numbers=NUMBERS).fit(example_rows())


@block
class Unstorable(Featurizer):
    """Holds a function, which no model file may."""

    def build(self, schema, seed):
        return make_pipeline(FunctionTransformer(lambda X: X[NUMBERS].dropna(axis=1, how="all")))


def featurizer(transformer: type) -> Featurizer:
    """Return a featurizer that builds this transformer."""

    @block
    class Broken(Featurizer):
        """Builds what is broken."""

        def build(self, schema, seed):
            return transformer()

    return Broken()


BROKEN = [
    (AlreadyFitted(), "builds_an_unfitted_transformer", "fit on the rows that `fit` is given"),
    (featurizer(DroppingRows), "gives_typed_columns", "a row must give a row"),
    (featurizer(GivingObjects), "gives_typed_columns", "neither numbers nor categories nor text"),
    (featurizer(NewIndex), "gives_typed_columns", "another index than the rows"),
    (featurizer(Jittering), "same_seed_same_result", "give `seed` to each random part"),
    (featurizer(FillingGaps), "leaves_its_inputs_alone", "transform changed the table"),
    (featurizer(Standardizing), "a_row_gives_a_row", "learn in `fit`, from training rows"),
    (featurizer(Spelling), "takes_whole_numbers_as_either", "let the type of a column's numbers"),
    (featurizer(OneColumnPerKind), "takes_missing_values", "became ['amount', 'pieces']"),
    (featurizer(OneColumnPerKind), "takes_unseen_values", "'never seen']"),
    (featurizer(Peeking), "looks_at_no_other_rows", "read no file in `fit`"),
    (featurizer(WholeTables), "fits_by_column_as_it_says", "something else: gaps_ was "),
    (featurizer(NoGaps), "takes_missing_values", "pieces has gaps"),
    (featurizer(KnownKinds), "takes_unseen_values", "KeyError: 'never seen'"),
    (featurizer(KeepingEmpty), "gives_no_empty_column", "it gave amount without any value"),
    (featurizer(Counting), "same_seed_same_file", "run to run: fits_ was "),
    (featurizer(Remembering), "transforming_teaches_nothing", "transformed rows: seen_ was "),
    (Unstorable(), "comes_back_from_its_file", "func of the FunctionTransformer is Unstorable."),
    (featurizer(Strict), "follows_scikit_learns_rules", "check_"),
]


@pytest.mark.parametrize(("broken", "check", "sentence"), BROKEN)
def test_the_suite_says_what_a_broken_featurizer_does_wrong(
    broken: Featurizer, check: str, sentence: str
) -> None:
    with pytest.raises(ContractError) as error:
        check_featurizer(broken)
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
    check_featurizer(
        Named(),
        schema=example_schema(),
        rows=rows,
        expected_failures={"check_fit2d_1sample": "no column of a single row varies"},
    )


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
