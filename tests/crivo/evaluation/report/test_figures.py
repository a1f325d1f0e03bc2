"""Figures show names in any script, and drawing them brings no warning."""

import warnings

import pandas as pd
import pytest

from crivo.evaluation.report.figures import draw


@pytest.mark.parametrize("name", ["年齢", "возраст", "العمر", "나이", "idade é"])
def test_a_name_in_any_script_stays_text(name: str) -> None:
    table = pd.DataFrame({"feature": [name, "b"], "loss_increase": [0.3, 0.1]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (figure,) = draw({"importance": table})
    assert name in figure.svg
