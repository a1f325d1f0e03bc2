"""The training loss, and its curve where the estimator has stages."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dvclive import Live
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from tests.crivo.evaluation.tables import noting

from crivo.training.tracking import log_iteration, log_training, tracker, training_losses

X = pd.DataFrame({"x": np.arange(100.0)})
Y = pd.Series(np.arange(100) >= 75)


class FakeLive:
    def __init__(self) -> None:
        self.logged: list[tuple[int, str, float]] = []
        self.not_drawn: list[str] = []
        self.step = 0

    def log_metric(self, name: str, value: float, plot: bool = True) -> None:
        self.logged.append((self.step, name, value))
        self.not_drawn += [] if plot else [name]

    def next_step(self) -> None:
        self.step += 1


def test_a_boolean_that_a_model_knows_as_a_number_has_its_loss() -> None:
    """Histogram boosting calls the classes of such a column 0.0 and 1.0."""
    target = Y.astype("boolean")
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, target)
    (*_, (_, loss)) = training_losses(model, X, target)
    assert loss == pytest.approx(log_loss(Y, model.predict_proba(X)))


@pytest.mark.parametrize(("iterations", "step"), [(50, 1), (100, 2), (101, 3)])
def test_a_curve_has_at_most_fifty_iterations_and_the_last(iterations: int, step: int) -> None:
    model = HistGradientBoostingClassifier(max_iter=iterations).fit(X, Y)
    losses = dict(training_losses(model, X, Y))
    assert list(losses) == list(range((iterations - 1) % step, iterations, step))
    assert losses[iterations - 1] == pytest.approx(log_loss(Y, model.predict_proba(X)))


@pytest.mark.parametrize(("classes", "rows"), [(0, 4000), (2, 4000), (3, 2000)])
def test_the_loss_is_that_of_few_rows_and_fewer_for_many_classes(classes: int, rows: int) -> None:
    (model, asked), many = noting(classes), pd.DataFrame({"x": range(5000)})
    log_training(FakeLive(), model, model, many, many["x"] * 0)  # type: ignore[arg-type]
    places = asked[0]["x"].tolist()
    assert (len(places), places[0], places[-1]) == (rows, 0, 4999)


class Never(ClassifierMixin, BaseEstimator):
    """Has labels and no probabilities."""

    def fit(self, rows: pd.DataFrame, target: pd.Series) -> "Never":
        self.classes_ = np.unique(target)
        return self

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        return np.zeros(len(rows), bool)


@pytest.mark.parametrize(
    ("model", "baseline", "target", "expected"),
    [
        # -(1/4 log 1/4 + 3/4 log 3/4)
        (LogisticRegression(), DummyClassifier(strategy="prior"), Y, 0.5623351446),
        (Never(), DummyClassifier(strategy="prior"), Y, 0.25),
        (HistGradientBoostingRegressor(max_iter=5), DummyRegressor(), X["x"], 28.86607005),
    ],
)
def test_the_baselines_loss_is_of_the_models_kind(
    model: Any, baseline: Any, target: pd.Series, expected: float
) -> None:
    live = FakeLive()
    live.step = 3  # after what the fit itself logged
    log_training(live, model.fit(X, target), baseline.fit(X, target), X, target)  # type: ignore[arg-type]
    assert live.logged[-1][1:] == ("baseline_train_loss", expected)
    assert live.not_drawn == ["baseline_train_loss"]
    assert [it[:2] for it in live.logged[:-1]] == [(i, "train_loss") for i in range(3, live.step)]


def test_a_model_may_log_while_it_is_fitted() -> None:
    live = FakeLive()
    told: list[str] = []
    log = log_iteration(live, told.append)  # type: ignore[arg-type]
    log({"a": 1 / 3, "b": 2})
    log({"a": 0.25})
    assert live.logged == [(0, "a", 0.3333333333), (0, "b", 2), (1, "a", 0.25)]
    assert told == ["fit, iteration 1, a 0.3333, b 2.000", "fit, iteration 2, a 0.2500"]


def test_it_writes_what_dvclive_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there is no repository, and without looking at one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DVC_STUDIO_OFFLINE", "1")
    plain = Live("plain", dvcyaml=None, save_dvc_exp=False, report=None)
    with plain, tracker(Path("ours")) as ours:
        for live in (plain, ours):
            for loss in (0.5, 0.25):
                log_iteration(live, lambda words: None)({"train_loss": loss})
            live.log_metric("baseline_train_loss", 0.75, plot=False)
    one, other = (
        {file.relative_to(name): file.read_bytes() for file in Path(name).rglob("*.*")}
        for name in ("plain", "ours")
    )
    assert one == other
    assert json.loads(other[Path("metrics.json")])["train_loss"] == 0.25
