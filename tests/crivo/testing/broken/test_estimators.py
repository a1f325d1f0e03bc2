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
from tests.crivo.testing.broken.classes import require_said

from crivo.core.blocks import Featurizer, Model, block
from crivo.core.errors import CrivoError
from crivo.modelfile import allowed as modeltrust
from crivo.testing import FakeModel, check_featurizer, check_model, fakes

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

    factor = 2.0

    def predict_proba(self, X):
        return self.factor * super().predict_proba(X)


class CountingFits(DummyClassifier):
    """Stores how often any was fitted."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        CountingFits.fits += 1
        self.fits_ = CountingFits.fits
        return super().fit(X, y, sample_weight)


class Halved(Unlikely):
    """Gives probabilities that sum to one half."""

    factor = 0.5


class Rounded(DummyClassifier):
    """Stores other digits than it has."""

    def __getstate__(self):
        state = super().__getstate__()
        return state | {"class_prior_": state["class_prior_"] + [1e-12, -1e-12]}


class Unordered(BaseEstimator):
    """Doesn't say which class a probability is of, and has none for rows without values."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), True)

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan if pd.isna(X).all(axis=None) else 0.5)


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


def absent(seed):
    raise CrivoError("Install it first.")


def telling(self, estimator, features, target, training):
    """Say what a fit is given."""
    watched = f"{training.stopping_mask.sum()} of {len(features)} rows stop it"
    lowest = target.min() if target.dtype == float else ""
    raise CrivoError(f"{watched}; {' '.join(features)} {lowest}")


MODELS = {
    "settings without types": Undecorated(),
    "no docstring": Undocumented(),
    "an empty docstring": model(absent, build=Undecorated.build, __doc__=" "),
    "a fitted model": model(fitted),
    "a changed parameter": model(lambda seed: Shifting()),
    "no predict": model(lambda seed: OrdinalEncoder()),
    "no text taken": model(lambda seed: DecisionTreeClassifier(random_state=seed)),
    "two predictions for a row": model(lambda seed: Twice()),
    "gaps filled by fit": model(lambda seed: DummyClassifier(), fit=fill_gaps),
    "ranks": model(lambda seed: AgainstTheOthers()),
    "double probabilities": model(lambda seed: Unlikely()),
    "half probabilities": model(lambda seed: Halved()),
    "numbers for classes": model(lambda seed: DummyRegressor()),
    "no order of classes": model(lambda seed: Unordered()),
    "no missing level": model(known_levels_only),
    "no seed": model(unseeded),
    "what can't be stored": model(unstorable),
    "what differs from fit to fit": model(lambda seed: CountingFits()),
    "rounded in its file": model(lambda seed: Rounded()),
    "what a fit is given": model(lambda seed: DummyClassifier(), fit=telling),
}


@pytest.mark.parametrize("what", MODELS)
def test_the_suite_says_what_a_broken_model_does_wrong(what: str) -> None:
    require_said(what, lambda: check_model(MODELS[what], tasks=["binary"]))


def test_a_model_that_refuses_all_tasks_says_why():
    require_said("all tasks refused", lambda: check_model(model(absent)))


@pytest.mark.parametrize(
    ("limits", "text", "given"),
    [
        ({}, False, "own"),
        ({}, True, "made"),
        ({"takes_text": True}, True, "own"),
        ({"smallest_target": 1.5}, False, "own"),
        ({"smallest_target": 1.6}, False, "made from 1.6"),
    ],
)
def test_a_model_is_tried_on_own_rows_that_it_can_take(limits, text: bool, given: str) -> None:
    rows = fakes.example_rows("regression")
    own = fakes.example_features(rows, text=text).rename(columns={"amount": "own"})
    target = rows["target"] - rows["target"].min() + 1.5
    broken = model(lambda seed: DummyRegressor(), fit=telling, **limits)
    require_said(
        f"a fit on {given} rows" + " with text" * (text and given == "own"),
        lambda: check_model(broken, tasks=["regression"], features=own, target=target),
    )


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


class Needy(Numbers):
    needs = ("hr",)


def featurizer(transformer: type) -> Featurizer:
    """Return a featurizer that builds this transformer."""

    @block
    class Broken(Featurizer):
        """Builds what is broken."""

        needs = getattr(transformer, "needs", ())

        def build(self, schema, seed):
            return transformer()

    return Broken()


FEATURIZERS = {
    "rows left out": DroppingRows,
    "objects": GivingObjects,
    "an index of its own": NewIndex,
    "centred on the rows": Standardizing,
    "the length of a number": Spelling,
    "a column per kind": OneColumnPerKind,
    "a known range": KnownRange,
    "a column that is needed": Needy,
}


@pytest.mark.parametrize("what", FEATURIZERS)
def test_the_suite_says_what_a_broken_featurizer_does_wrong(what: str) -> None:
    require_said(what, lambda: check_featurizer(featurizer(FEATURIZERS[what])))
