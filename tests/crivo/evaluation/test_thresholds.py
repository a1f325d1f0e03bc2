"""The operating point: chosen as said, stored with few digits, used unchanged."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.params import ValueSettings
from crivo.evaluation.rows import Binary
from crivo.evaluation.thresholds import NOTHING, OperatingPoint, choose_threshold, cut_after
from tests.crivo.evaluation.tables import scored

CONTEXT = Context("binary", ("no", "yes"), "yes")
# Ten rows: the riskiest three are late, late and not.
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05]
TARGETS = [1, 1, 0, 0, 1, 0, 0, 0, 0, 0]


def table(scores: list[float] = SCORES, targets: list[int] = TARGETS) -> pd.DataFrame:
    return scored(scores, targets, ("no", "yes"), cluster=np.arange(len(scores)) % 5)


def chosen(predictions: pd.DataFrame | None = None, **settings: float) -> float | None:
    predictions = table() if predictions is None else predictions
    return choose_threshold(predictions, CONTEXT, ValueSettings(**settings))


def act_on(predictions: pd.DataFrame, context: Context, threshold: float | None) -> pd.DataFrame:
    """Return the table as a threshold from other rows decides it."""
    point = OperatingPoint((threshold, threshold), here=False)
    return point.apply((predictions, predictions), context)[0]


def acted(**settings: float) -> int:
    """Return how many of the ten rows are acted on."""
    return int(act_on(table(), CONTEXT, chosen(**settings))["prediction"].eq("yes").sum())


def test_a_capacity_takes_as_many_of_the_riskiest_rows() -> None:
    assert chosen(capacity=0.2) == 0.8
    assert [acted(capacity=share) for share in (0.05, 0.1, 0.29, 0.3, 0.99)] == [0, 1, 2, 3, 9]


def test_rows_of_equal_score_are_all_acted_on_or_none() -> None:
    tied = table(scores=[0.9, 0.5, 0.5, 0.5, *SCORES[5:9], 0.05, 0.05])
    assert act_on(tied, CONTEXT, chosen(tied, capacity=0.3))["prediction"].eq("yes").sum() == 1
    assert act_on(tied, CONTEXT, chosen(tied, capacity=0.4))["prediction"].eq("yes").sum() == 4


def test_the_best_threshold_gains_the_most() -> None:
    # A hit gains 2, a false alarm costs 1: two rows gain 4, five gain 6 - 2 = 4, fewer is chosen.
    assert chosen(true_positive=2, false_positive=-1) == 0.8
    # With 3 a hit, five rows gain 9 - 2 = 7 and two gain 6.
    assert acted(true_positive=3, false_positive=-1) == 5


def test_without_binary_scores_there_is_none() -> None:
    labels = table().drop(columns="score")
    assert choose_threshold(labels, CONTEXT, ValueSettings(capacity=0.1)) is None
    assert act_on(labels, CONTEXT, None) is labels
    numbers = pd.DataFrame({"id": ["a"], "target": [1.0], "prediction": [1.0], "weight": [1.0]})
    assert choose_threshold(numbers, Context("regression"), ValueSettings()) is None


@pytest.mark.parametrize(
    ("scores", "groups", "expected"),
    [
        ([0.9, 0.2, 0.1], 1, 0.6),
        ([1.0, 0.2, 0.1], 1, 0.6),
        ([0.52, 0.51, 0.1], 1, 0.52),
        ([0.5, 0.5 - 1e-14, 0.1], 1, 0.5),
        ([0.9, 0.9, 0.1], 1, 0.5),
        # Ten digits are needed here, and here they don't do.
        ([0.12345678924, 0.12345678914, 0.1], 1, 0.1234567892),
        ([0.12345678913, 0.12345678911, 0.1], 1, 0.12345678913),
        ([0.9, 0.2, 0.1], 0, NOTHING),
        ([0.9, 0.2, 0.1], 3, 0.0),
    ],
)
def test_a_threshold_is_between_scores(scores: list[float], groups: int, expected: float) -> None:
    rows = Binary.of(table(scores, [1] * 3), CONTEXT)
    assert cut_after(rows, groups) == expected


def test_model_and_baseline_each_have_their_own_threshold() -> None:
    prior = table(scores=[0.3] * 10)
    value = ValueSettings(true_positive=2, false_positive=-1)
    point = OperatingPoint.choose((table(), prior), CONTEXT, value, here=True)
    # Acting on all ten rows would gain 6 - 7.
    assert point.thresholds == (0.8, NOTHING)
    assert (point.value, point.here) == (value, True)
    assert not OperatingPoint.choose((table(), prior), CONTEXT, value, here=False).here
    kept = replace(point, here=False)
    model, baseline = kept.apply((table(), prior), CONTEXT)
    assert [one["prediction"].eq("yes").sum() for one in (model, baseline)] == [2, 0]
    assert point.to_json() == {"threshold": 0.8, "rule": "value", "chosen_on": "valid"}
    assert OperatingPoint().to_json() == {"threshold": None, "rule": None, "chosen_on": None}


@pytest.mark.parametrize("classes", [("no", "yes"), (False, True), (1, 0)])
def test_a_threshold_decides_no_row_that_it_was_sought_on(classes: tuple[object, object]) -> None:
    """Of each cluster the other one teaches the threshold: in the first high scores are positive,
    in the second nothing is, so that the one threshold is 0.5 and the other is never reached.
    """
    rows = table([0.9, 0.1, 0.9, 0.1], [1, 0, 0, 0]).assign(cluster=[1, 1, 2, 2])
    rows["target"] = [classes[1], classes[0], classes[0], classes[0]]
    rows["prediction"] = classes[0]
    context = Context("binary", classes, classes[1])  # type: ignore[arg-type]
    value = ValueSettings(true_positive=5, false_positive=-1)
    point = OperatingPoint.choose((rows, rows), context, value, here=True)
    assert point.cross_fitted
    for found in point.apply((rows, rows), context):
        assert (found["prediction"] == classes[1]).tolist() == [False, False, True, False]
        assert found["prediction"].dtype == pd.Series(classes).dtype
    assert act_on(rows, context, point.thresholds[0])["prediction"].tolist()[0] == classes[1]


def test_each_fifth_of_the_clusters_gets_the_threshold_of_the_others() -> None:
    """Only the last of six clusters has positive rows, and the first is in one fifth with it."""
    rows = table([0.9, 0.1] * 6, [0] * 10 + [1, 0]).assign(cluster=np.arange(12) // 2)
    rows["weight"] = rows["target"].map({"no": 1.0, "yes": 9.0})
    value = ValueSettings(true_positive=5, false_positive=-1)
    found = OperatingPoint.choose((rows, rows), CONTEXT, value, here=True).apply(
        (rows,) * 2, CONTEXT
    )
    acted = found[0]["prediction"].eq("yes").tolist()
    assert acted == [False, False, *[True, False] * 4, False, False]


@pytest.mark.parametrize("settings", [{"capacity": 0.2, "true_positive": 1}, {}])
def test_a_threshold_that_needs_no_outcome_decides_all_rows(settings: dict[str, float]) -> None:
    value = ValueSettings(**settings)
    point = OperatingPoint.choose((table(), table()), CONTEXT, value, here=True)
    assert not point.cross_fitted
    found = point.apply((table(), table()), CONTEXT)[0]
    assert found.equals(act_on(table(), CONTEXT, point.thresholds[0]))


@pytest.mark.parametrize("settings", [{"capacity": 0.1}, {"false_positive": -1}])
def test_only_a_binary_task_has_rows_to_act_on(settings: dict[str, float]) -> None:
    value = ValueSettings(**settings)
    with pytest.raises(CrivoError) as caught:
        OperatingPoint.choose((table(), table()), Context("regression"), value, here=True)
    assert str(caught.value) == (
        "evaluate.value is set, but the task is regression: only a binary task has rows to "
        "act on. Leave capacity null and all gains 0."
    )


def test_metrics_of_decisions_are_warned_of_where_the_threshold_was_sought_here() -> None:
    value = ValueSettings(true_positive=2, false_positive=-1)
    point = OperatingPoint.choose((table(), table()), CONTEXT, value, here=True)
    assert point.warning(["roc_auc", "recall", "f1"]) == [
        "The threshold was chosen on these rows, so each fifth of the clusters gets a threshold "
        "that was chosen on the others. The intervals of f1, recall don't allow for the choice of "
        "the threshold; if there are few rows, they are usually too narrow."
    ]
    assert point.warning(["roc_auc"]) == []
    assert replace(point, here=False).warning(["f1"]) == []
