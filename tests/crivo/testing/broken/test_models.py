"""Broken models: each breaks a promise, and the contract suite says which."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pydantic import field_validator
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import PoissonRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from crivo.core.blocks import Model, block
from crivo.core.errors import CrivoError
from crivo.core.inputs import numeric_inputs
from crivo.modelfile import allowed as modeltrust
from crivo.testing import ContractError, FakeModel, check_model, example_features, example_rows


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let model files hold the classes of this file, as they may those of a block's file."""
    package = __name__.rpartition(".")[0]
    monkeypatch.setitem(modeltrust.OWN_PACKAGES, package, Path(__file__).parent)


class Undecorated(Model):
    """A model whose author forgot @block."""

    def build(self, task, seed):
        return DummyClassifier()


@block
class Doubling(Model):
    """Changes its own setting."""

    rate: float = 1.0

    @field_validator("rate")
    @classmethod
    def _double(cls, rate):
        return 2 * rate

    def build(self, task, seed):
        return DummyClassifier()


@block
class Undocumented(Model):
    def build(self, task, seed):
        return DummyClassifier()


@block
class AlreadyFitted(Model):
    """Fits in `build`."""

    def build(self, task, seed):
        return DummyClassifier().fit([[0], [1]], [False, True])


@block
class Regressor(Model):
    """Builds a regressor for every task."""

    def build(self, task, seed):
        return DummyRegressor()


@block
class ArraysOnly(Model):
    """Can't take categories."""

    def build(self, task, seed):
        return DecisionTreeClassifier(random_state=seed)


@block
class Unseeded(FakeModel):
    """Draws anew at each fit."""

    def build(self, task, seed):
        return (
            super()
            .build(task, seed)
            .set_params(
                decisiontreeclassifier__splitter="random", decisiontreeclassifier__random_state=None
            )
        )


@block
class FillsGaps(Model):
    """Fills gaps in the table that it was given."""

    def build(self, task, seed):
        return DummyClassifier()

    def fit(self, estimator, features, target, training):
        features["amount"] = features["amount"].fillna(0)
        return estimator.fit(features, target)


class AgainstTheOthers(DummyClassifier):
    def predict_proba(self, X):
        rank = pd.DataFrame(X).iloc[:, 0].rank(pct=True).fillna(0).to_numpy(float)
        return np.column_stack([1 - rank, rank])


@block
class Ranking(Model):
    """Scores a row by its rank among the others."""

    def build(self, task, seed):
        return AgainstTheOthers()


class Unlikely(DummyClassifier):
    def predict_proba(self, X):
        return 2 * super().predict_proba(X)


@block
class NoProbabilities(Model):
    """Gives numbers that are no probabilities."""

    def build(self, task, seed):
        return Unlikely()


@block
class KnownLevelsOnly(Model):
    """Fails on a gap in a column that had none in training."""

    def build(self, task, seed):
        encode = make_column_transformer(
            (OrdinalEncoder(), make_column_selector(dtype_include="category")),
            remainder="passthrough",
        )
        return make_pipeline(encode, DecisionTreeClassifier(max_depth=2, random_state=seed))


@block
class Unstorable(Model):
    """Holds a function, which no model file may."""

    def build(self, task, seed):
        return make_pipeline(FunctionTransformer(lambda X: X), DummyClassifier())


class CountingFits(DummyClassifier):
    fits = 0

    def fit(self, X, y, sample_weight=None):
        CountingFits.fits += 1
        self.fits_ = CountingFits.fits
        return super().fit(X, y, sample_weight)


@block
class Numbered(Model):
    """Stores how often it was fitted."""

    def build(self, task, seed):
        return CountingFits()


class Remembering(DummyClassifier):
    def predict(self, X):
        self.seen_ = getattr(self, "seen_", 0) + len(X)
        return super().predict(X)


@block
class Learning(Model):
    """Changes when it predicts."""

    def build(self, task, seed):
        return Remembering()


class Shifting(DummyClassifier):
    def __init__(self, strategy="prior", random_state=0):
        super().__init__(strategy=strategy, random_state=random_state + 1)


@block
class Unconventional(Model):
    """Builds an estimator that changes its own parameter."""

    def build(self, task, seed):
        return Shifting()


BROKEN = [
    (Undecorated, "settings_survive_a_round_trip", "put @block above the class"),
    (Doubling, "settings_survive_a_round_trip", "rate was 2.0 and came back as 4.0"),
    (Undocumented, "settings_are_documented", "one sentence is enough"),
    (AlreadyFitted, "builds_an_unfitted_estimator", "return an estimator that no row has taught"),
    (Unconventional, "builds_an_unfitted_estimator", "must keep each parameter as it is"),
    (Regressor, "builds_for_the_task", "DummyRegressor, which isn't a classifier"),
    (ArraysOnly, "answers_each_row", "could not convert string to float"),
    (Unseeded, "same_seed_same_result", "(decisiontreeclassifier__random_state is None)"),
    (FillsGaps, "leaves_its_inputs_alone", "fit changed the table it was given (amount"),
    (Ranking, "rows_are_independent", "a row alone got other predictions"),
    (NoProbabilities, "predictions_are_valid", "are negative or don't sum to one"),
    (KnownLevelsOnly, "takes_missing_values", "Found unknown categories"),
    (Unstorable, "comes_back_from_its_file", "func of the FunctionTransformer is Unstorable."),
    (Numbered, "same_seed_same_file", "keep nothing in the estimator"),
    (Learning, "applying_teaches_nothing", "its file differs after `predict`"),
]


@pytest.mark.parametrize(
    ("model", "check", "sentence"), BROKEN, ids=lambda x: getattr(x, "__name__", None)
)
def test_the_suite_says_what_a_broken_model_does_wrong(model, check: str, sentence: str) -> None:
    with pytest.raises(ContractError) as error:
        check_model(model(), tasks=["binary"])
    findings = {breach.check: str(breach) for breach in error.value.breaches}
    assert check in findings, str(error.value)
    assert sentence in findings[check]
    assert model.__name__ in str(error.value)


@pytest.mark.parametrize(
    ("model", "checks"),
    [
        (Unseeded, ("same_seed_same_result", "same_seed_same_file")),
        (Unstorable, ("comes_back_from_its_file",)),
        (Numbered, ("same_seed_same_file",)),
        (Learning, ("applying_teaches_nothing",)),
    ],
)
def test_one_fault_is_not_taken_for_another(model, checks: tuple[str, ...]) -> None:
    with pytest.raises(ContractError) as error:
        check_model(model(), tasks=["binary"])
    assert error.value.checks == checks


@block
class Neighbours(Model):
    """The example of CONTRIBUTING: a tree of neighbours counts how often it is asked."""

    def build(self, task, seed):
        return make_pipeline(numeric_inputs(dense=True), KNeighborsClassifier())


def test_neighbours_by_scikit_learn_keep_the_contract() -> None:
    check_model(Neighbours(), tasks=["binary"])


@block
class AnyCounts(Model):
    """A model of counts that doesn't say so."""

    def build(self, task, seed):
        if task != "regression":
            raise CrivoError("AnyCounts is made for regression.")
        return make_pipeline(numeric_inputs(), PoissonRegressor(alpha=0.1))


@block
class Counts(AnyCounts):
    """A model of counts."""

    smallest_target = 0


def test_a_model_is_taught_the_targets_and_tasks_that_it_takes() -> None:
    check_model(Counts())
    with pytest.raises(ContractError, match="out of the valid range of the loss"):
        check_model(AnyCounts())


@block
class OfOneColumn(Model):
    """A model that names a column of its features."""

    def build(self, task, seed):
        return make_pipeline(
            make_column_transformer(("passthrough", ["pieces_sold"])),
            DecisionTreeClassifier(random_state=seed),
        )


def test_a_model_is_checked_on_the_features_that_are_given() -> None:
    rows = example_rows()
    features = example_features(rows)
    target = rows["target"]
    check_model(
        OfOneColumn(),
        tasks=["binary"],
        features=features.assign(pieces_sold=features["pieces"]),
        target=target,
    )
    with pytest.raises(ContractError, match="pieces_sold"):
        check_model(OfOneColumn(), tasks=["binary"], features=features, target=target)


def test_excuses_for_checks_that_are_gone_do_nothing_but_warn() -> None:
    with pytest.warns(DeprecationWarning, match="`expected_failures` does nothing"):
        check_model(FakeModel(), tasks=["binary"], expected_failures={"check_x": "it is meant so"})
