"""What the simple models do beside their contract."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Training
from crivo.core.registry import make_block

from .tasks import INPUTS, TARGETS, fitted


@pytest.mark.parametrize("target", ["text", "truth", "three numbers"])
def test_the_prior_gives_every_row_the_shares_of_the_classes_or_the_mean(target: str) -> None:
    shares = TARGETS[target][1].value_counts(normalize=True).sort_index()
    given = fitted("prior", target).predict_proba(INPUTS)
    np.testing.assert_allclose(given, np.tile(shares, (len(INPUTS), 1)))
    mean = TARGETS["quantity"][1].mean()
    np.testing.assert_allclose(fitted("prior", "quantity").predict(INPUTS), mean)


def test_a_smaller_c_shrinks_a_linear_model_more() -> None:
    strong, weak = (fitted("linear", "text", C=c)[-1].coef_ for c in (0.001, 1.0))
    assert np.abs(strong).sum() < np.abs(weak).sum() / 3


def test_a_forest_adds_its_trees_in_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert fitted("forest", "text", trees=2)[-1].n_jobs == 1


def test_that_a_number_is_missing_may_tell_a_linear_model() -> None:
    rows = pd.DataFrame({"a": [1.0, np.nan] * 50})
    missing = rows["a"].isna()
    block, training = make_block("model", "linear", {}), Training(missing & False, print)
    model = block.fit(block.build("binary", 3), rows, missing, training)
    assert (model.predict(rows) == missing).all()
