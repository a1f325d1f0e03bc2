"""A linear model fills gaps with medians, marks them, and scales what it is given."""

import numpy as np
import pandas as pd

from crivo.core.blocks import Training
from crivo.core.registry import make_block

from .tasks import INPUTS, fitted


def test_a_smaller_c_shrinks_more() -> None:
    strong, weak = (fitted("linear", "text", C=c)[-1].coef_ for c in (0.001, 1.0))
    assert np.abs(strong).sum() < np.abs(weak).sum() / 3


def test_the_unit_of_a_number_does_not_matter() -> None:
    block = make_block("model", "linear", {})
    target = pd.Series(INPUTS["size [m]"] > 0)
    training = Training(np.zeros(len(INPUTS), dtype=bool), print)
    metres = block.fit(block.build("binary", 3), INPUTS, target, training)
    shorter = INPUTS.assign(**{"size [m]": INPUTS["size [m]"] * 1000})
    millimetres = block.fit(block.build("binary", 3), shorter, target, training)
    np.testing.assert_allclose(
        metres.predict_proba(INPUTS), millimetres.predict_proba(shorter), rtol=1e-6
    )


def test_that_a_number_is_missing_may_tell() -> None:
    rows = pd.DataFrame({"a": [1.0, np.nan] * 50})
    block = make_block("model", "linear", {})
    training = Training(np.zeros(100, dtype=bool), print)
    model = block.fit(block.build("binary", 3), rows, rows["a"].isna(), training)
    assert (model.predict(rows) == rows["a"].isna()).all()
