"""Every model family serves every task, takes gaps and unseen levels, and can be stored."""

from importlib.util import find_spec

import numpy as np
import pytest

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


@pytest.mark.parametrize("target", TARGETS)
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


@pytest.mark.parametrize("target", ["text", "three numbers", "quantity"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_gives_the_same_file(family: str, target: str) -> None:
    def file() -> bytes:
        model = fitted(family, target, lambda losses: None, **QUICK.get(family, {}))
        return dump_model(model)

    assert file() == file()
