"""Broken models and featurizers: each breaks a promise, and the contract suite says which."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier
from tests.crivo.testing.broken.classes import require_found

from crivo.core.blocks import Featurizer, Model, block
from crivo.core.errors import CrivoError
from crivo.modelfile import allowed as modeltrust
from crivo.testing import FakeModel, check_featurizer, check_model

NUMBERS = ["amount", "pieces"]


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let model files hold the classes of this file, as they may those of a block's file."""
    package = __name__.rpartition(".")[0]
    monkeypatch.setattr(modeltrust, "OWN_PACKAGES", modeltrust.OWN_PACKAGES | {package})


# --- models -----------------------------------------------------------------------------------


class AgainstTheOthers(DummyClassifier):
    """Scores a row by its rank among the others."""

    def predict_proba(self, X):
        rank = pd.DataFrame(X).iloc[:, 0].rank(pct=True).fillna(0).to_numpy(float)
        return np.column_stack([1 - rank, rank])


class Twice(DummyClassifier):
    """Gives two predictions for each row."""

    def predict(self, X):
        return super().predict(X).repeat(2)


class Unlikely(DummyClassifier):
    """Gives numbers that are no probabilities."""

    def predict_proba(self, X):
        return 2 * super().predict_proba(X)


class CountingFits(DummyClassifier):
    """Stores how often any was fitted."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        CountingFits.fits += 1
        self.fits_ = CountingFits.fits
        return super().fit(X, y, sample_weight)


class Shifting(DummyClassifier):
    """Changes its own parameter."""

    def __init__(self, strategy="prior", random_state=0):
        super().__init__(strategy=strategy, random_state=random_state + 1)


def model(estimator, **methods):
    """Return a model that builds what a function of the seed gives."""
    told = {"__doc__": "Builds what is broken.", "__module__": __name__}
    build = {"build": lambda self, task, seed: estimator(seed)}
    return block(type("Broken", (Model,), told | build | methods))()


class Undecorated(Model):
    """A model whose author forgot @block."""

    def build(self, task, seed):
        return DummyClassifier()


@block
class Undocumented(Model):
    def build(self, task, seed):
        return DummyClassifier()


def fill_gaps(self, estimator, features, target, training):
    features["amount"] = features["amount"].fillna(0)
    return estimator.fit(features, target)


def unseeded(seed):
    tree = {"decisiontreeclassifier__splitter": "random"}
    tree["decisiontreeclassifier__random_state"] = None
    return FakeModel().build("binary", seed).set_params(**tree)


def known_levels_only(seed):
    categories = (OrdinalEncoder(), make_column_selector(dtype_include="category"))
    encode = make_column_transformer(categories, remainder="passthrough")
    return make_pipeline(encode, DecisionTreeClassifier(max_depth=2, random_state=seed))


def unstorable(seed):
    return make_pipeline(FunctionTransformer(lambda X: X), DummyClassifier())


def fitted(seed):
    return DummyClassifier().fit([[0], [1]], [False, True])


MODELS = {
    "settings_are_typed": (Undecorated(), "put @block above the class"),
    "settings_are_documented": (Undocumented(), "one sentence is enough"),
    "builds_an_unfitted_estimator": (model(fitted), "return an unfitted estimator"),
    "builds_an_unfitted_estimator ": (model(lambda seed: Shifting()), "must keep each parameter"),
    "answers_in_the_rows_index": (
        model(lambda seed: DecisionTreeClassifier(random_state=seed)),
        "could not convert string to float",
    ),
    "answers_in_the_rows_index ": (model(lambda seed: Twice()), "120 rows gave 240 predictions."),
    "fitting_leaves_its_inputs_alone": (
        model(lambda seed: DummyClassifier(), fit=fill_gaps),
        "fit changed the table it was given (amount",
    ),
    "rows_are_independent": (
        model(lambda seed: AgainstTheOthers()),
        "a row by itself got different predictions",
    ),
    "predictions_are_valid": (model(lambda seed: Unlikely()), "a score is not between 0 and 1"),
    "predictions_are_valid ": (model(lambda seed: DummyRegressor()), "which isn't a class of"),
    "takes_missing_values": (model(known_levels_only), "Found unknown categories"),
    "same_seed_same_file": (model(unseeded), "give `seed` to each random part"),
}


@pytest.mark.parametrize("check", MODELS)
def test_the_suite_says_what_a_broken_model_does_wrong(check: str) -> None:
    broken, sentence = MODELS[check]
    said = require_found(lambda: check_model(broken, tasks=["binary"]), check.strip(), sentence)
    assert f"model {type(broken).__name__} breaks" in str(said)


def test_a_model_that_refuses_all_tasks_says_why():
    def absent(seed):
        raise CrivoError("Install it first.")

    with pytest.raises(CrivoError, match="Install it first"):
        check_model(model(absent))


@pytest.mark.parametrize(
    ("broken", "check", "sentence"),
    [
        (unstorable, "comes_back_from_its_file", "The model contains a lambda"),
        (lambda seed: CountingFits(), "same_seed_same_file", "keep nothing that differs"),
    ],
)
def test_one_fault_is_not_taken_for_another(broken, check: str, sentence: str) -> None:
    said = require_found(lambda: check_model(model(broken), tasks=["binary"]), check, sentence)
    assert said.checks == (check,)


# --- featurizers ------------------------------------------------------------------------------


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
        return super().transform(X).join(pd.get_dummies(X["kind"], dtype=float))


class KnownRange(Numbers):
    """Refuses numbers and days far beyond those that training had."""

    def transform(self, X):
        beyond = [name for name in NUMBERS if X[name].max() > 1e5]
        beyond += ["ordered"] if X["ordered"].max() > pd.Timestamp("2030-01-01") else []
        if beyond:
            raise ValueError(f"{beyond} are beyond")
        return super().transform(X)


def featurizer(transformer: type) -> Featurizer:
    """Return a featurizer that builds this transformer."""

    @block
    class Broken(Featurizer):
        """Builds what is broken."""

        def build(self, schema, seed):
            return transformer()

    return Broken()


@pytest.mark.parametrize(
    ("broken", "check", "sentence"),
    [
        (DroppingRows, "answers_in_the_rows_index", "with one row for each"),
        (GivingObjects, "answers_in_the_rows_index", "neither numbers nor categories nor text"),
        (NewIndex, "answers_in_the_rows_index", "the index changed"),
        (Standardizing, "rows_are_independent", "learn in `fit`, from training rows"),
        (Spelling, "takes_whole_numbers_as_either", "give the same inputs whatever the type"),
        (OneColumnPerKind, "takes_missing_values", "became ['amount', 'pieces']"),
        (OneColumnPerKind, "same_columns_for_all_rows", "'never seen']"),
        (KnownRange, "same_columns_for_all_rows", "['amount', 'pieces', 'ordered'] are beyond"),
    ],
)
def test_the_suite_says_what_a_broken_featurizer_does_wrong(
    broken: type, check: str, sentence: str
) -> None:
    require_found(lambda: check_featurizer(featurizer(broken)), check, sentence)
