"""Every model family serves every task, takes gaps and unseen levels, and can be stored.

And what each of the simple ones does beside it.
"""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Training
from crivo.core.registry import make_block
from crivo.modelfile.canonical import dump_model, parse_model

from .tasks import INPUTS, LATER, TARGETS, fitted, skill

FAMILIES = ["boosting", "forest", "linear"]
FAMILIES += [name for name in ("lightgbm", "xgboost") if find_spec(name)]
QUICK = {
    "boosting": {"max_iter": 20},
    "forest": {"trees": 10},
    "lightgbm": {"n_estimators": 20},
    "xgboost": {"n_estimators": 20},
}


@pytest.mark.parametrize("target", ["whole number", "three texts", "quantity"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_learns_takes_new_rows_and_is_the_same_when_stored(
    family: str, target: str
) -> None:
    model = fitted(family, target, lambda losses: None, **QUICK.get(family, {}))
    assert skill(model, target) > 0.75
    stored = parse_model(dump_model(model))
    for rows in (INPUTS, LATER):
        np.testing.assert_array_equal(stored.predict(rows), model.predict(rows))
    if TARGETS[target][0] == "regression":
        return
    shares = model.predict_proba(LATER)
    np.testing.assert_array_equal(stored.predict_proba(LATER), shares)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-6)
    assert model.classes_.tolist() == sorted(TARGETS[target][1].unique().tolist())


@pytest.mark.parametrize("target", ["text", "truth", "three numbers"])
def test_the_prior_gives_every_row_the_shares_of_the_classes_or_the_mean(target: str) -> None:
    shares = TARGETS[target][1].value_counts(normalize=True).sort_index()
    given = fitted("prior", target).predict_proba(INPUTS)
    np.testing.assert_allclose(given, np.tile(shares, (len(INPUTS), 1)))
    mean = TARGETS["quantity"][1].mean()
    np.testing.assert_allclose(fitted("prior", "quantity").predict(INPUTS), mean)


def test_a_forest_has_as_many_trees_as_asked_for_and_predicts_on_one_core() -> None:
    forest = fitted("forest", "text", trees=3)[-1]
    assert (len(forest.estimators_), forest.n_jobs) == (3, 1)


def linear(rows: pd.DataFrame, target: pd.Series) -> Any:
    block = make_block("model", "linear", {})
    training = Training(np.zeros(len(rows), dtype=bool), print)
    return block.fit(block.build("binary", 3), rows, target, training)


def test_a_smaller_c_shrinks_a_linear_model_more() -> None:
    strong, weak = (fitted("linear", "text", C=c)[-1].coef_ for c in (0.001, 1.0))
    assert np.abs(strong).sum() < np.abs(weak).sum() / 3


def test_the_unit_of_a_number_does_not_matter_to_a_linear_model() -> None:
    target = pd.Series(INPUTS["size [m]"] > 0)
    shorter = INPUTS.assign(**{"size [m]": INPUTS["size [m]"] * 1000})
    metres = linear(INPUTS, target).predict_proba(INPUTS)
    millimetres = linear(shorter, target).predict_proba(shorter)
    np.testing.assert_allclose(metres, millimetres, rtol=1e-6)


def test_that_a_number_is_missing_may_tell_a_linear_model() -> None:
    rows = pd.DataFrame({"a": [1.0, np.nan] * 50})
    missing = rows["a"].isna()
    assert (linear(rows, missing).predict(rows) == missing).all()
