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


def test_both_tables_have_the_rows_clusters_and_slices() -> None:
    predicting = Predicting(SCHEMA, "shop", 1, ["city"])
    model, baseline = predicting.tables((prior(), prior()), ROWS, FEATURES)
    pd.testing.assert_frame_equal(model, baseline)
    by_id = ROWS.set_index("id").loc[model["id"]]
    assert model["cluster"].tolist() == by_id["shop"].tolist()
    assert model["slice_city"].dropna().tolist() == by_id["city"].dropna().tolist()
    assert model["score"].iloc[0] == pytest.approx(ROWS["target"].mean())


def test_a_cluster_is_a_block_of_days() -> None:
    rows = ROWS.assign(day=np.arange(60) // 10)
    table = Predicting(SCHEMA, "day", 2).table(prior(), rows, FEATURES)
    # Six days, two a cluster.
    assert table["cluster"].nunique() == 3


def test_a_model_that_gives_no_probability_is_refused() -> None:
    with pytest.raises(CrivoError, match="60 values of score .* aren't finite numbers"):
        Predicting(SCHEMA).table(Broken(), ROWS, FEATURES)
