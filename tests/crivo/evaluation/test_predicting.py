"""Predictions tables of model and baseline for the same rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from crivo.core.errors import CrivoError
from crivo.evaluation.predicting import Predicting
from crivo.testing.examples import example_features, example_rows, example_schema

SCHEMA = example_schema("binary")
ROWS = example_rows("binary", 60)
FEATURES = example_features(ROWS)


class Broken:
    """A model that knows no probability for some rows."""

    classes_ = np.array([False, True])

    def predict_proba(self, features: pd.DataFrame) -> np.ndarray:
        return np.full((len(features), 2), np.nan)


def prior() -> DummyClassifier:
    return DummyClassifier(strategy="prior").fit(FEATURES, ROWS["target"])


def test_a_model_that_gives_no_probability_is_refused() -> None:
    with pytest.raises(CrivoError, match="60 values of score .* aren't finite numbers"):
        Predicting(SCHEMA).table(Broken(), ROWS, FEATURES)
