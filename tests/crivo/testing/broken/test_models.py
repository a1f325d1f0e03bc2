"""Broken models: each breaks a promise, and the contract suite says which."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pydantic import field_validator
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from crivo.core import modeltrust
from crivo.core.blocks import Count, Model, block
from crivo.core.inputs import numeric_inputs
from crivo.testing import ContractError, FakeModel, check_model


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
class Peeking(Model):
    """Learns from the validation rows as well."""

    def build(self, task, seed):
        return DummyClassifier(strategy="prior")

    def fit(self, estimator, features, target, training):
        path = Path("data/prepared/valid.parquet")
        if path.exists():
            target = pd.concat([target, pd.read_parquet(path)["target"]])
        return estimator.fit(np.zeros((len(target), 1)), target)


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


class NoParameters(DummyClassifier):
    def __init__(self, strategy="prior", random_state=None, constant=None):
        super().__init__(strategy="most_frequent", random_state=random_state, constant=constant)


@block
class Unconventional(Model):
    """Builds an estimator that ignores its own parameter."""

    def build(self, task, seed):
        return NoParameters(strategy="prior")


BROKEN = [
    (Undecorated, "settings_survive_a_round_trip", "put @block above the class"),
    (Doubling, "settings_survive_a_round_trip", "rate was 2.0 and came back as 4.0"),
    (Undocumented, "settings_are_documented", "one sentence is enough"),
    (AlreadyFitted, "builds_an_unfitted_estimator", "return an estimator that no row has taught"),
    (Regressor, "builds_an_unfitted_estimator", "DummyRegressor, which isn't a classifier"),
    (ArraysOnly, "takes_typed_columns", "could not convert string to float"),
    (Unseeded, "same_seed_same_result", "(decisiontreeclassifier__random_state is None)"),
    (
        Unseeded,
        "same_seed_same_file",
        "from run to run: decisiontreeclassifier.tree_.",
    ),
    (FillsGaps, "leaves_its_inputs_alone", "fit changed the table it was given (amount"),
    (Ranking, "a_row_gives_a_prediction", "a row alone got another prediction"),
    (NoProbabilities, "predictions_are_valid", "are negative or don't sum to one"),
    (Peeking, "looks_at_no_other_rows", "read no file in `fit`"),
    (KnownLevelsOnly, "takes_missing_values", "Found unknown categories"),
    (Unstorable, "comes_back_from_its_file", "func of the FunctionTransformer is Unstorable."),
    (Numbered, "same_seed_same_file", "run to run: fits_ was "),
    (Learning, "predicting_teaches_nothing", "after a prediction: seen_ "),
    (Unconventional, "follows_scikit_learns_rules", "check_"),
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
        (Learning, ("predicting_teaches_nothing",)),
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
class StoppingAlways(FakeModel):
    """A model that can't do without early stopping."""

    early_stopping: Count = 5


@block
class StoppingOrNot(FakeModel):
    """A model whose early stopping is switched on."""

    early_stopping: bool = True


@pytest.mark.parametrize("model", [StoppingAlways, StoppingOrNot])
def test_early_stopping_of_another_kind_is_left_as_it_is(model: type[Model]) -> None:
    check_model(model(), tasks=["multiclass"])
