"""A refit is the recipe's own fit, on the rows of both splits."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from tests.crivo.schemas import few_columns

from crivo.core import artifacts
from crivo.core.blocks import Model, Training
from crivo.core.errors import CrivoError
from crivo.core.params import TrainSettings
from crivo.core.schema import Task
from crivo.training.fit import refit, write_refitted

SCHEMA = few_columns(t="time")


class FirstColumn(LinearRegression):
    """Takes the number alone."""

    def fit(self, features, target):
        return super().fit(features[["x"]], target)


class Noting(Model):
    """Notes what it was fitted on."""

    def build(self, task: Task, seed: int) -> BaseEstimator:
        self.seed = seed
        return FirstColumn()

    def fit(self, estimator, features, target, training: Training) -> BaseEstimator:
        self.given, self.watched = features.assign(y=target), training.stopping_mask
        training.log({"loss": 1.0})
        return estimator.fit(features, target)


def split(first: int, count: int, levels: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    places = np.arange(first, first + count)
    start = pd.Timestamp("2020-01-01")
    rows = pd.DataFrame({"key": places.astype(str), "y": 2.0 * places})
    rows["t"] = start + pd.to_timedelta(places, unit="D")
    kind = pd.Categorical([levels[place % len(levels)] for place in places], ["a", "b", "c"])
    return rows, pd.DataFrame({"x": places.astype(float), "kind": kind})


def test_a_refit_has_the_rows_of_both_splits_and_watches_the_latest() -> None:
    model = Noting()
    fitted, _ = refit(
        (model, Noting()),
        SCHEMA,
        [split(0, 60, ["a"]), split(60, 40, ["b", "c"])],
        7,
        TrainSettings(early_stopping_fraction=0.1),
    )
    assert model.given[["x", "y"]].to_numpy().tolist() == [[i, 2 * i] for i in range(100)]
    assert model.given["kind"].cat.categories.tolist() == ["a", "b", "c"]
    assert np.flatnonzero(model.watched).tolist() == list(range(90, 100))
    assert model.seed == 7
    assert round(float(fitted.coef_[0]), 9) == 2


def test_a_refit_is_refused_where_it_cannot_have_all_rows() -> None:
    words = r"all training and validation rows, and train.fraction is 0.5; remove"
    with pytest.raises(CrivoError, match=words):
        refit((Noting(), Noting()), SCHEMA, [split(0, 60, ["a"])], 7, TrainSettings(fraction=0.5))


def test_a_refitted_model_is_written_with_what_it_was_fitted_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    artifacts.MODEL.parent.mkdir()
    artifacts.MODEL.write_bytes(bytes(500_000))
    model = DummyRegressor().fit([[0.0], [1.0]], [1.0, 3.0])
    facts = write_refitted(model)
    assert facts["fitted_on"] == "training and validation rows"
    assert facts["model_mb"] == Path("models/refit/model.skops").stat().st_size / 1e6
    assert write_refitted(None) == {"fitted_on": "training rows", "model_mb": 0.5}
    assert [path.name for path in artifacts.REFIT.iterdir()] == ["fitted_on.json"]
