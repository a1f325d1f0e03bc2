"""A predictions table becomes what a metric sees; wrong labels are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.evaluation.rows import (
    Binary,
    Multiclass,
    NotDefined,
    log_losses,
)

LATE = Context("binary", classes=("on time", "late"), positive="late")


def table(**columns):
    return pd.DataFrame(columns).assign(weight=1.0)


@pytest.mark.parametrize(
    ("classes", "positive", "target"),
    [
        ((False, True), True, [True, False]),
        ((0, 1), 1, [1.0, 0.0]),
        (("no", "yes"), "yes", pd.Categorical(["yes", "no"])),
        (("no", "yes"), "no", ["no", "yes"]),
    ],
)
def test_positive_class_is_found_whatever_its_type(classes, positive, target):
    context = Context("binary", classes=classes, positive=positive)
    rows = Binary.of(table(target=target, prediction=target), context)
    assert rows.target.tolist() == [1, 0]


def test_multiclass_scores_are_in_the_order_of_the_classes():
    context = Context("multiclass", classes=("b", "a"))
    columns = {"score_a": [0.2, 0.9], "score_b": [0.8, 0.1]}
    rows = Multiclass.of(table(target=["b", "a"], prediction=["b", "b"], **columns), context)
    assert rows.scores.tolist() == [[0.8, 0.2], [0.1, 0.9]]
    assert rows.confusion.tolist() == [[1, 0], [1, 0]]


def test_a_missing_score_column_means_labels_alone():
    context = Context("multiclass", classes=("b", "a"))
    rows = Multiclass.of(table(target=["b"], prediction=["a"], score_a=[1.0]), context)
    with pytest.raises(NotDefined, match="labels without scores"):
        _ = rows.scores


@pytest.mark.parametrize("column", ["target", "prediction"])
def test_an_unknown_label_is_refused(column):
    labels = {"target": ["late"] * 2, "prediction": ["late"] * 2, column: ["on time", "Late"]}
    with pytest.raises(CrivoError) as caught:
        Binary.of(table(**labels), LATE)
    assert str(caught.value) == (
        "The predictions contain the label 'Late'; the classes are 'on time', 'late'."
    )


def test_probabilities_of_0_and_1_are_moved_by_the_smallest_step():
    step = np.finfo(float).eps
    assert log_losses(np.array([0.0, 1.0])).tolist() == [-np.log(step), -np.log(1 - step)]
    assert -np.log(1 - step) > 0
