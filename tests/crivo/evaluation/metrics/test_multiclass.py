"""Each multiclass metric agrees with scikit-learn, or says why it has no value."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st

from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.rows import Multiclass
from crivo.statistics.jackknife import NotDefined

METRICS = metrics_of("multiclass")
CLASSES = ("ant", "bee", "cat")


def rows_of(target, predicted, scores=None, weight=None):
    weight = np.ones(len(target)) if weight is None else weight
    return Multiclass(np.asarray(target), np.asarray(predicted), scores, weight, CLASSES)


@st.composite
def tables(draw):
    count = draw(st.integers(3, 30))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    scores = np.round(random.dirichlet([1, 1, 1], count), draw(st.sampled_from([1, 12])))
    scores[:, 0] = 1 - scores[:, 1] - scores[:, 2]
    scores = np.clip(scores, 0, 1) / np.clip(scores, 0, 1).sum(axis=1, keepdims=True)
    labels = random.integers(0, draw(st.sampled_from([2, 3])), (2, count))
    weight = random.uniform(0.1, 5, count) if draw(st.booleans()) else np.ones(count)
    return (*labels, scores, weight)


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@settings(max_examples=15)
@given(tables())
def test_agrees_with_scikit_learn(table):
    target, predicted, scores, weight = table
    rows = rows_of(target, predicted, scores, weight)
    expected = {
        "accuracy": sk.accuracy_score(target, predicted, sample_weight=weight),
        "balanced_accuracy": sk.balanced_accuracy_score(target, predicted, sample_weight=weight),
        "macro_f1": sk.f1_score(target, predicted, average="macro", sample_weight=weight),
        "log_loss": sk.log_loss(target, scores, sample_weight=weight, labels=[0, 1, 2]),
    }
    if len(set(target)) == 3:
        expected["roc_auc_ovr"] = np.mean(
            [sk.roc_auc_score(target == k, scores[:, k], sample_weight=weight) for k in range(3)]
        )
    for name, number in expected.items():
        assert METRICS[name](rows) == pytest.approx(number, rel=1e-9)


def test_one_against_rest_needs_every_class():
    rows = rows_of([0, 1, 0], [0, 1, 1], np.eye(3))
    with pytest.raises(NotDefined, match="no row is of class 'cat'"):
        METRICS["roc_auc_ovr"](rows)


def test_labels_alone_have_the_metrics_of_labels():
    rows = rows_of([0, 1, 2], [0, 1, 1])
    assert METRICS["accuracy"](rows) == pytest.approx(2 / 3)
    for name in ("log_loss", "roc_auc_ovr"):
        with pytest.raises(NotDefined, match="^the predictions are labels without scores$"):
            METRICS[name](rows)
