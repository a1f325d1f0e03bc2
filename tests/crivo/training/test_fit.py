"""What a model is given when it is fitted and asked, and what is said of the fit."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import FunctionTransformer
from tests.crivo.blocks.models.tasks import INPUTS, TARGETS
from tests.crivo.schemas import few_columns

from crivo.core import artifacts
from crivo.core.blocks import Model
from crivo.core.errors import CrivoError
from crivo.core.params import TrainSettings
from crivo.core.registry import make_block
from crivo.core.schema import Task
from crivo.evaluation.inspection import permutation_importance
from crivo.evaluation.predicting import predict
from crivo.prediction.fitted import Fitted
from crivo.prediction.predictor import Predictor
from crivo.training.fit import fit_model
from crivo.training.tracking import log_training

SCHEMA = few_columns("no", "yes")
ROWS = pd.DataFrame({"y": TARGETS["text"][1]})


class Strict(ClassifierMixin, BaseEstimator):
    """An estimator that refuses columns of another type than those it was fitted on."""

    def fit(self, features: pd.DataFrame, target: pd.Series) -> Any:
        self.classes_, self.kinds_ = np.unique(target), features.dtypes
        return self

    def predict_proba(self, features: pd.DataFrame) -> np.ndarray:
        assert features.dtypes.equals(self.kinds_)
        return np.full((len(features), len(self.classes_)), 1 / len(self.classes_))


class StrictModel(Model):
    def build(self, task: Task, seed: int) -> Any:
        return Strict()


def test_all_that_asks_a_model_gives_it_columns_of_one_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    features = INPUTS.assign(narrow=INPUTS["size [m]"].astype("float32"))
    artifacts.write_table(artifacts.features("train"), features)
    read = artifacts.read_features("train")
    model = fit_model(StrictModel(), SCHEMA, ROWS, read, TrainSettings(), 0)
    live: Any = SimpleNamespace(step=0, log_metric=lambda *_, **__: None, next_step=lambda: None)
    log_training(live, model, model, read, ROWS["y"])
    assert len(predict(model, read, SCHEMA)[0]) == len(ROWS)
    assert len(permutation_importance(model, read, ROWS["y"], seed=0)) == len(read.columns)
    predictor = Predictor(schema=SCHEMA, fitted=Fitted(FunctionTransformer(), model, SCHEMA))
    assert len(predictor.fitted.estimate(features)[0]) == len(ROWS)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_a_library_that_is_not_installed_comes_with_the_command(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(CrivoError, match="`make extras` adds it .* -r requirements/extras.txt`"):
        make_block("model", library, {}).build("binary", 3)


def test_rows_to_watch_are_chosen_only_if_a_model_asks_for_them() -> None:
    schema = few_columns("no", "yes", day="time")
    rows = ROWS.assign(key=[*map(str, ROWS.index)], day="no time")
    settings = TrainSettings(early_stopping_fraction=0.1)
    fit_model(make_block("model", "prior", {}), schema, rows, INPUTS, settings, 0)
    stops = make_block("model", "boosting", {"early_stopping": 3})
    with pytest.raises(CrivoError, match="neither dates nor numbers"):
        fit_model(stops, schema, rows, INPUTS, settings, 0)
