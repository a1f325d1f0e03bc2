"""A trained predictor scores raw rows as the evaluation scores prepared ones."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crivo.core.errors import CrivoError
from crivo.prediction import load_predictor
from crivo.testing import example_rows

Trained = Callable[..., Path]


def test_a_model_without_probabilities_gives_labels_only(trained: Trained) -> None:
    class Labels:
        def predict(self, inputs):
            return np.full(len(inputs), True)

    whole = load_predictor(trained())
    fitted = replace(whole.fitted, model=Labels())
    predictor = replace(whole, fitted=fitted, threshold=0.5)
    assert list(predictor.predict(example_rows(rows=2))) == ["prediction"]
    assert list(predictor.predict(example_rows(rows=2)[:0])) == ["prediction"]


def test_a_model_of_another_run_is_refused_with_a_way_out(trained: Trained) -> None:
    whole = load_predictor(trained())
    rows = example_rows()[["pieces"]].astype(float)
    from sklearn.linear_model import LogisticRegression

    other = LogisticRegression().fit(rows, example_rows()["target"])
    mixed = replace(whole, fitted=replace(whole.fitted, model=other))
    with pytest.raises(CrivoError, match="the two come from different runs"):
        mixed.predict(example_rows(rows=3))
