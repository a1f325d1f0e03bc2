"""Each binary metric: values worked out by hand, agreement with scikit-learn, degenerate rows."""

from itertools import permutations

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from crivo.evaluation.metrics import find_metrics, metrics_of
from crivo.evaluation.rows import Binary
from crivo.statistics.jackknife import NotDefined

METRICS = metrics_of("binary")


def rows_of(target, score, weight=None):
    score = np.asarray(score, float)
    weight = np.ones(len(score)) if weight is None else np.asarray(weight, float)
    return Binary(np.asarray(target), score > 0.5, score, weight)


def outcome(name, rows):
    """A metric's value, or why it has none."""
    try:
        return METRICS[name](rows)
    except NotDefined as reason:
        return str(reason)


# Two positives, at 0.9 and 0.4, and three negatives.
HAND = [1, 0, 1, 0, 0], [0.9, 0.6, 0.4, 0.4, 0.2]


@pytest.mark.parametrize(
    ("name", "rows", "expected"),
    [
        ("calibration_in_the_large", HAND, 2.5 / 5 - 2 / 5),
        # bins 0.9 | 0.6 | 0.4 | 0.2: |0.9 - 1| + |0.6 - 0| + |0.8 - 1| + |0.2 - 0|
        ("expected_calibration_error", HAND, (0.1 + 0.6 + 0.2 + 0.2) / 5),
        # ten bins, the last with the score 1
        ("expected_calibration_error", ([0, 1], [1, 0.95]), (1 - 0.05) / 2),
        ("expected_calibration_error", ([0, 1], [0.89, 0.91]), (0.89 + 0.09) / 2),
        ("f1", ([0, 1], [0.2, 0.3]), 0),  # none is predicted positive
    ],
)
def test_value_worked_out_by_hand(name, rows, expected):
    assert METRICS[name](rows_of(*rows)) == pytest.approx(expected, abs=1e-15)


def test_riskiest_share_is_the_mean_over_all_orders_of_tied_rows():
    target = np.array([1, 1, 0, 0, 1, 0])
    score = np.array([0.9, 0.5, 0.5, 0.5, 0.5, 0.1])
    orders = [np.r_[0, np.array(order) + 1] for order in permutations(range(4))]
    mean = np.mean([target[order[:3]].mean() for order in orders])
    (metric,) = find_metrics(["precision_at_share"], "binary", {"share": 0.5})
    assert metric(rows_of(target, score)) == pytest.approx(mean)


SCORES = st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.floats(0, 1))
WEIGHTS = st.one_of(st.just(1.0), st.floats(0.05, 20))
TABLES = st.lists(st.tuples(st.booleans(), SCORES, WEIGHTS), min_size=2, max_size=40)
BOTH_CLASSES = TABLES.filter(lambda table: len({target for target, _, _ in table}) == 2)

AS_SCIKIT_LEARN = {
    "roc_auc": lambda y, p, w: sk.roc_auc_score(y, p, sample_weight=w),
    "average_precision": lambda y, p, w: sk.average_precision_score(y, p, sample_weight=w),
    "log_loss": lambda y, p, w: sk.log_loss(y, p, sample_weight=w, labels=[False, True]),
    "brier": lambda y, p, w: sk.brier_score_loss(y, p, sample_weight=w),
    "precision": lambda y, p, w: sk.precision_score(y, p > 0.5, sample_weight=w),
    "recall": lambda y, p, w: sk.recall_score(y, p > 0.5, sample_weight=w),
    "f1": lambda y, p, w: sk.f1_score(y, p > 0.5, sample_weight=w),
    "accuracy": lambda y, p, w: sk.accuracy_score(y, p > 0.5, sample_weight=w),
}


@settings(max_examples=15)
@given(BOTH_CLASSES)
def test_agrees_with_scikit_learn(table):
    target, score, weight = (np.array(column) for column in zip(*table, strict=True))
    rows = rows_of(target, score, weight)
    for name, expected in AS_SCIKIT_LEARN.items():
        if name == "precision" and not (score > 0.5).any():
            continue
        assert METRICS[name](rows) == pytest.approx(expected(target, score, weight), rel=1e-9)


@given(BOTH_CLASSES)
def test_rows_of_weight_0_are_as_if_left_out(table):
    target, score, weight = (np.array(column) for column in zip(*table, strict=True))
    kept = np.arange(len(target)) % 3 > 0
    rest = rows_of(target[kept], score[kept], weight[kept])
    whole = rows_of(target, score, np.where(kept, weight, 0))
    for name in METRICS:
        expected = outcome(name, rest)
        wanted = expected if isinstance(expected, str) else pytest.approx(expected, 1e-6, 1e-9)
        assert outcome(name, whole) == wanted


def test_calibration_slope_is_that_of_a_logistic_regression():
    random = np.random.default_rng(0)
    score = np.round(random.uniform(0.05, 0.95, 500), 2)
    target = random.random(500) < 1 / (1 + np.exp(-0.5 - 0.6 * np.log(score / (1 - score))))
    weight = random.uniform(0.5, 2, 500)
    logits = np.log(score / (1 - score))[:, None]
    regression = LogisticRegression(C=np.inf, tol=1e-10).fit(logits, target, weight)
    found = METRICS["calibration_slope"](rows_of(target, score, weight))
    assert found == pytest.approx(regression.coef_[0, 0], rel=1e-5)


SEPARATE = "the scores separate the classes, so the slope is infinite"


@pytest.mark.parametrize(
    ("names", "target", "score", "reason"),
    [
        ("roc_auc average_precision recall recall_at_share", [0, 0], [1, 0], "no row is positive"),
        ("roc_auc", [1, 1], [0.2, 0.8], "every row is positive"),
        ("calibration_slope", [1, 1], [0.2, 0.8], "all rows are of one class"),
        ("calibration_slope", [0, 1], [0.3, 0.3], "all scores are equal"),
        ("calibration_slope", [1, 0], [0.8, 0.2], SEPARATE),
        ("calibration_slope", [0, 1], [0.8, 0.2], SEPARATE),
        ("calibration_slope", [1, 1, 0, 0], [0.8, 0.5, 0.5, 0.2], SEPARATE),
        ("calibration_slope", [0, 0, 1, 1], [0.8, 0.5, 0.5, 0.2], SEPARATE),
        ("precision", [0, 1], [0.2, 0.3], "no row is predicted positive"),
        ("f1", [0, 0], [0.2, 0.3], "no row is positive and none is predicted positive"),
    ],
)
def test_a_metric_without_a_value_says_why(names, target, score, reason):
    for name in names.split():
        assert outcome(name, rows_of(target, score)) == reason
