"""A model that is fitted in batches is as good as one that is fitted in memory."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import log_loss, roc_auc_score, root_mean_squared_error
from sklearn.preprocessing import FunctionTransformer

from crivo.core import artifacts, stored_table
from crivo.core.blocks import Model, Training
from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.schema import Column, Schema, Task
from crivo.core.stored_table import Rows, StoredTable, with_shared_levels
from crivo.evaluation.inspection import model_curves
from crivo.evaluation.predicting import predict
from crivo.modelfile.canonical import dump_model, parse_model
from crivo.prediction.fitted import Fitted
from crivo.prediction.predictor import TrainedPredictor
from crivo.training.fit import fit_baseline, fit_estimator
from crivo.training.tracking import log_training

ROWS = 2_000
KINDS = list("abcdef")


def rows_of(task: Task) -> tuple[pd.DataFrame, pd.Series]:
    """Return features of each type, with gaps, and a target that depends on them."""
    rng = np.random.default_rng(0)
    kind = rng.choice(KINDS, ROWS)
    features = pd.DataFrame(
        {
            "amount[1]": rng.normal(size=ROWS),
            "narrow": rng.normal(size=ROWS).astype("float32"),
            "kind": pd.Categorical(kind, KINDS),
        }
    )
    signal = features["amount[1]"] + (kind == "a") - (kind == "b") + rng.normal(size=ROWS)
    features.loc[::7, "amount[1]"] = None
    if task == "regression":
        return features, signal.rename("y")
    edges = [-np.inf, 0, np.inf] if task == "binary" else [-np.inf, -1, 1, np.inf]
    names = ["no", "yes"] if task == "binary" else ["low", "middle", "high"]
    return features, pd.Series(pd.cut(signal, edges, labels=names).astype("str"), name="y")


def schema_of(task: Task) -> Schema:
    classes = () if task == "regression" else ("no", "yes")
    columns = (
        Column(name="id", role="id", type="text"),
        Column(name="y", role="target", type="category" if classes else "number"),
    )
    positive = classes[1] if classes else None
    return Schema(task=task, classes=classes, positive=positive, columns=columns)


@pytest.fixture
def on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[pd.DataFrame], StoredTable]:
    """Return a function that puts features on disk, from where they come in small batches."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stored_table, "BATCH_ROWS", 450)

    def store(features: pd.DataFrame) -> StoredTable:
        artifacts.write_table(artifacts.features("train"), features)
        return StoredTable(artifacts.features("train"))

    return store


def losses(task: Task, model: Any, features: pd.DataFrame, target: pd.Series) -> list[float]:
    if task == "regression":
        return [float(root_mean_squared_error(target, model.predict(features)))]
    scores = model.predict_proba(features)
    found = [float(log_loss(target, scores, labels=model.classes_))]
    return [*found, float(roc_auc_score(target, scores[:, 1]))] if task == "binary" else found


@pytest.mark.parametrize(
    ("task", "early_stopping"), [("binary", 3), ("multiclass", 0), ("regression", 3)]
)
def test_xgboost_on_disk_has_the_metrics_of_xgboost_in_memory(
    on_disk: Callable[[pd.DataFrame], StoredTable], task: Task, early_stopping: int
) -> None:
    pytest.importorskip("xgboost")
    features, target = rows_of(task)
    taught, later = slice(0, 1_500), slice(1_500, None)
    block: Model = make_block(
        "model", "xgboost", {"n_estimators": 30, "max_depth": 3, "early_stopping": early_stopping}
    )
    watched = np.arange(1_500) >= 1_250
    logged: list[list[Mapping[str, float]]] = [[], []]
    few, known = features[taught], target[taught]
    models = [
        fit_estimator(block, block.build(task, 1), rows, known, Training(watched, log.append))
        for rows, log in zip((few, on_disk(few)), logged, strict=True)
    ]
    assert logged[0][0].keys() == logged[1][0].keys()
    ours, theirs = (losses(task, model, features[later], target[later]) for model in models)
    np.testing.assert_allclose(theirs, ours, atol=1e-3)
    stored = parse_model(dump_model(models[1]), "The model")
    assert losses(task, stored, features[later], target[later]) == theirs
    assert not artifacts.BATCHES.exists()


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_the_baseline_is_the_one_that_memory_gives(
    on_disk: Callable[[pd.DataFrame], StoredTable], task: Task
) -> None:
    features, target = rows_of(task)
    block: Model = make_block("baseline", "prior", {})
    rows = target.to_frame()
    here, there = (
        dump_model(fit_baseline(block, schema_of(task), rows, given, 1))
        for given in (features, on_disk(features))
    )
    assert here == there


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

    def fit_batches(self, estimator: Any, batches: Any, target: pd.Series, training: Any) -> Any:
        return estimator.fit(next(batches()), target)


@pytest.mark.parametrize("stored", [False, True])
def test_all_that_asks_a_model_gives_it_columns_of_one_type(
    on_disk: Callable[[pd.DataFrame], StoredTable], stored: bool
) -> None:
    features, target = rows_of("binary")
    table = on_disk(features)
    artifacts.write_table(artifacts.prepared("train"), target.to_frame())
    _, read = artifacts.read_split("train")
    training = Training(np.zeros(ROWS, dtype=bool), lambda _: None)
    taught: Rows = table if stored else read
    model = fit_estimator(StrictModel(), Strict(), taught, target, training)
    live: Any = SimpleNamespace(step=0, log_metric=lambda *_, **__: None, next_step=lambda: None)
    log_training(live, model, model, taught, target)
    schema = schema_of("binary")
    assert len(predict(model, read, schema)[0]) == ROWS
    assert model_curves(model, read, target, 0, pd.Categorical(np.arange(ROWS) % 20))
    predictor = TrainedPredictor(schema=schema, fitted=Fitted(FunctionTransformer(), model, schema))
    assert len(predictor.estimate(features)[0]) == ROWS


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("boosting", {"max_iter": 5}),
        ("forest", {"trees": 5}),
        ("linear", {}),
        ("xgboost", {"n_estimators": 5}),
    ],
)
def test_a_model_has_the_bytes_of_its_block_s_own_fit(name: str, settings: Any) -> None:
    if name == "xgboost":
        pytest.importorskip(name)
    features, target = (values[:300] for values in rows_of("binary"))
    words = pd.Series(np.resize(["x", "y", None], len(target)), dtype="str")
    features = features.assign(word=words.astype("category"))
    block: Model = make_block("model", name, settings)
    training = Training(np.zeros(len(target), dtype=bool), lambda _: None)
    shared = with_shared_levels(features)
    ours = fit_estimator(block, block.build("binary", 1), shared, target, training)
    plain = block.fit(block.build("binary", 1), features, target, training)
    assert dump_model(ours) == dump_model(plain)


def test_a_solver_that_stops_before_it_converged_is_said_in_one_sentence(
    caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    features, target = rows_of("binary")
    block = make_block("model", "linear", {"max_iter": 1})
    fit_estimator(block, block.build("binary", 0), features, target, Training(np.zeros(0), print))
    assert [record.getMessage() for record in caplog.records] == [
        "The model's solver stopped before it converged; raise its number of iterations "
        "(max_iter), or shrink its coefficients more."
    ]
    assert not [one for one in recwarn if "converge" in str(one.message)]


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_a_library_that_is_not_installed_comes_with_the_command(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(CrivoError, match="`make extras` adds it .* -r requirements/extras.txt`"):
        make_block("model", library, {}).build("binary", 3)
