"""A trained predictor scores raw rows as the evaluation scores prepared ones."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core.artifacts import FEATURIZER, MODEL, read_schema
from crivo.core.errors import CrivoError
from crivo.core.predictions import build_predictions
from crivo.core.schema import Task
from crivo.evaluation.predicting import predict
from crivo.modelfile.canonical import load_model
from crivo.prediction import load_predictor
from crivo.testing import TASKS, check_predictor, example_rows

Trained = Callable[..., Path]


@pytest.mark.parametrize(
    ("task", "model"),
    [("binary", "boosting"), ("multiclass", "linear"), ("regression", "boosting")],
)
def test_the_trained_predictor_keeps_the_contract_of_its_mock(
    trained: Trained, task: Task, model: str
) -> None:
    check_predictor(load_predictor(trained(task, model)))


@pytest.mark.parametrize("task", TASKS)
def test_predictions_are_those_of_the_evaluation(trained: Trained, task: Task) -> None:
    """As the evaluate stage makes them: features first, then the model."""
    folder = trained(task)
    rows, schema = example_rows(task, seed=5), read_schema(folder / "data/prepared/schema.json")
    features = load_model(folder / FEATURIZER).transform(rows[list(schema.features)])
    expected = build_predictions(
        rows, schema, *predict(load_model(folder / MODEL), features, schema)
    )
    answer = load_predictor(folder).predict(rows)
    columns = [name for name in expected if name.startswith(("prediction", "score"))]
    pd.testing.assert_frame_equal(answer[columns], expected[columns])


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
