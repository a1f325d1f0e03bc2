"""The schema, whose roles and task fit together, and what a task is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from crivo.core.evaluation import Context
from crivo.core.schema import Column, Schema
from crivo.core.tasks import TASKS, TaskType, by_estimator, task_of
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.tasks import task_evaluation

KEY = Column(name="key", role="id", type="text")
LATE = Column(name="late", role="target", type="boolean")
DAY = Column(name="day", role="time", type="date")
X = Column(name="x", role="feature", type="number")


def schema(*columns: Column, **changes: object) -> Schema:
    values: dict[str, object] = {
        "task": "binary",
        "classes": (False, True),
        "positive": True,
    }
    return Schema(columns=columns, **(values | changes))  # type: ignore[arg-type]


def test_columns_are_found_by_their_role() -> None:
    found = schema(KEY, LATE, DAY, X)
    assert (found.id, found.target, found.time, found.group) == ("key", "late", "day", None)
    assert found.features == ("x",)
    assert found.column("x") is X


@pytest.mark.parametrize(
    ("columns", "changes", "message"),
    [
        ((LATE, X), {}, "exactly one id"),
        ((KEY, X), {}, "exactly one target"),
        ((KEY, LATE, X, X), {}, "named twice: x"),
        ((KEY, LATE, DAY, DAY.model_copy(update={"name": "d2"})), {}, "at most one time"),
        ((KEY, LATE), {"classes": (1, 2, 3), "positive": 1}, "two classes"),
        ((KEY, LATE), {"positive": "yes"}, "one of them `positive`"),
    ],
)
def test_what_does_not_fit_together_is_refused(columns, changes, message) -> None:
    with pytest.raises(ValidationError, match=message):
        schema(*columns, **changes)


BINARY = task_of(Context("binary", ("yes", "no"), "yes"))
CLASSES = task_of(Context("multiclass", ("a", "b", "c")))
NUMBERS = task_of(Context("regression"))
KEY_AND_LABEL = (
    Column(name="key", role="id", type="text"),
    Column(name="y", role="target", type="category"),
)

HALVES = np.array([[0.5, 0.5], [0.4, 0.6]])
THIRDS = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])


@pytest.mark.parametrize("name", TASKS)
def test_every_task_has_its_evaluation(name: str) -> None:
    for scored in (True, False):
        assert set(task_evaluation(name).default_metrics(scored)) <= set(metrics_of(name))


def test_a_schema_names_its_task() -> None:
    described = Schema(task="multiclass", classes=("a", "b", "c"), columns=KEY_AND_LABEL)
    assert task_of(described) == CLASSES
    assert described.to_json()["task"] == "multiclass"


@pytest.mark.parametrize(
    ("task", "scores", "columns"),
    [
        (BINARY, HALVES, {"score": [0.5, 0.4]}),
        (CLASSES, THIRDS, {"score_a": [0.2, 0.1], "score_b": [0.5, 0.1], "score_c": [0.3, 0.8]}),
    ],
)
def test_scores_become_columns_and_come_back(
    task: TaskType, scores: np.ndarray, columns: dict[str, list[float]]
) -> None:
    found = task.to_columns(scores)
    assert {name: values.tolist() for name, values in found.items()} == columns
    assert tuple(found) == task.score_columns
    np.testing.assert_allclose(task.from_columns(pd.DataFrame(columns)), scores)


def test_a_probability_of_one_half_is_positive_unless_a_threshold_says_otherwise() -> None:
    assert BINARY.decide(HALVES).tolist() == ["yes", "no"]
    assert BINARY.decide(HALVES, 0.51).tolist() == ["no", "no"]
    assert BINARY.decide(HALVES, 0.4).tolist() == ["yes", "yes"]


def test_the_most_probable_of_several_classes_is_predicted() -> None:
    assert CLASSES.decide(THIRDS).tolist() == ["b", "c"]


def test_numbers_have_no_scores() -> None:
    assert NUMBERS.score_columns == ()
    for ask in (NUMBERS.decide, NUMBERS.from_columns):
        with pytest.raises(TypeError, match="a regression task has no scores"):
            ask(HALVES)  # type: ignore[operator]


def test_the_mean_of_a_target_is_the_rate_of_the_positive_class_or_that_of_the_numbers() -> None:
    labels, numbers = pd.Series(["yes", "no", "no", "no"]), pd.Series([1.0, 4.0])
    assert BINARY.numbers(labels).mean() == 0.25  # type: ignore[union-attr]
    assert NUMBERS.numbers(numbers).mean() == 2.5  # type: ignore[union-attr]
    assert CLASSES.numbers(labels) is None


def test_tasks_with_classes_ask_for_classifiers() -> None:
    chosen = {name: by_estimator(name, classifier="c", regressor="r") for name in TASKS}
    assert chosen == {"binary": "c", "multiclass": "c", "regression": "r"}
