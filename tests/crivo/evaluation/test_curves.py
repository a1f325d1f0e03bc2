"""The plots' data, and the bands around curves: leaving out each cluster, point by point."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Context
from crivo.core.params import ValueSettings
from crivo.evaluation.curves import CURVES, band
from crivo.evaluation.tasks import Evaluated
from crivo.evaluation.thresholds import OperatingPoint, value_curve
from crivo.statistics.intervals import FRACTION, Estimate, interval
from tests.crivo.evaluation.tables import scored

BINARY = Context(task="binary", classes=("no", "yes"), positive="yes")


def table(target: list[str], score: list[float]) -> pd.DataFrame:
    return scored(score, [one == "yes" for one in target], ("no", "yes"))


def curves(predictions: pd.DataFrame, context: Context) -> dict[str, pd.DataFrame]:
    """Return all curves that the task has."""
    found = {name: curve(Evaluated(predictions, context)) for name, curve in CURVES.items()}
    return {name: table for name, table in found.items() if len(table)}


def test_the_confusion_table_counts_each_pair_of_classes() -> None:
    found = curves(table(["yes", "no", "yes", "no"], [0.9, 0.8, 0.4, 0.1]), BINARY)
    assert found["confusion"].to_numpy().tolist() == [
        ["no", "no", 1],
        ["no", "yes", 1],
        ["yes", "no", 1],
        ["yes", "yes", 1],
    ]


def test_rows_count_by_their_weight() -> None:
    rows = table(["yes", "no", "yes", "no"], [0.9, 0.8, 0.4, 0.1])
    found = curves(rows.assign(weight=[1.0, 3.0, 3.0, 1.0]), BINARY)
    # Positives and negatives weigh 4 each.
    roc = [[0, 0], [0, 1 / 4], [3 / 4, 1 / 4], [3 / 4, 1], [1, 1]]
    np.testing.assert_allclose(found["roc"].iloc[:, :2], roc)
    curve = [[0, 1], [1 / 4, 1], [1 / 4, 1 / 4], [1, 4 / 7], [1, 4 / 8]]
    np.testing.assert_allclose(found["precision_recall"].iloc[:, :2], curve)
    same = table(["yes", "no"], [0.3, 0.3]).assign(weight=[3.0, 1.0])
    np.testing.assert_allclose(curves(same, BINARY)["calibration"].iloc[:, :3], [[0.3, 3 / 4, 2]])


def test_curves_are_thinned_but_keep_their_ends() -> None:
    rng = np.random.default_rng(0)
    for count in (200, 5000):
        target = np.where(rng.random(count) < 0.5, "yes", "no").tolist()
        roc = curves(table(target, rng.random(count).tolist()), BINARY)["roc"]
        assert len(roc) == 200
        assert roc.iloc[[0, -1], :2].to_numpy().tolist() == [[0, 0], [1, 1]]


def test_a_calibration_is_of_the_predicted_class_or_of_the_predicted_number() -> None:
    few = {"id": [*"abcd"], "cluster": [1, 2, 3, 4], "weight": 1.0}
    classes = pd.DataFrame([[0.5, 0.4, 0.1], [0.8, 0.1, 0.1], [0.1, 0.6, 0.3], [0.9, 0.05, 0.05]])
    classes = classes.set_axis(["score_a", "score_b", "score_c"], axis="columns").assign(**few)
    classes = classes.assign(target=[*"abca"], prediction=[*"aaba"])
    found = curves(classes, Context("multiclass", ("a", "b", "c")))["calibration"]
    # Each row is in a bin of its own; those predicted with 0.5 and 0.9 are right.
    assert found["mean_score"].tolist() == [0.5, 0.6, 0.8, 0.9]
    assert found["observed_rate"].tolist() == [1, 0, 0, 1]
    number, off = np.linspace(-50, 50, 200), np.tile([2.0, 4.0], 100)
    rows = {"prediction": number, "target": number + off, "cluster": np.arange(200) % 8 // 2}
    numbers = pd.DataFrame(rows).assign(id=[f"{i:03d}" for i in range(200)], weight=1.0)
    found = curves(numbers, Context("regression"))["calibration"]
    assert found["rows"].tolist() == [20] * 10
    np.testing.assert_allclose(found["observed_rate"] - found["mean_score"], 3)
    assert (found["observed_rate_low"] < found["observed_rate"]).all()


def test_a_task_has_no_curves_of_what_it_does_not_know() -> None:
    for context, prediction, expected in (
        (BINARY, table(["no", "no"], [0.1, 0.2]), ["calibration", "confusion"]),
        (BINARY, table(["no", "yes"], [0.1, 0.2]).drop(columns="score"), ["confusion"]),
    ):
        assert [*curves(prediction, context)] == expected


# --- bands ---

TRUE_OR_FALSE = Context("binary", (False, True), True)
GAINS = ValueSettings(true_positive=5, false_positive=-1)


def rows(seed: int = 0, count: int = 300, clusters: int = 10) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 2, count).round(2)
    target, weight = rng.random(count) < score, rng.integers(1, 4, count).astype(float)
    return scored(score, target, weight=weight, cluster=np.arange(count) % clusters)


def test_a_band_of_shares_stays_between_0_and_1() -> None:
    values = np.array([[0.98, 1.0, 0.5], [0.90, 1.0, 0.4], [0.99, 1.0, 0.6]])
    low, high = band(values, 2.0, FRACTION)
    assert 0 < low[0] < 0.98 < high[0] < 1
    assert np.isnan(low[1])  # no interval where nothing varies: the end of the scale
    assert np.isnan(band(values[:2], 1.0, FRACTION)[0]).all()


def test_curves_have_bands_a_baseline_and_thresholds() -> None:
    table = rows()
    context = Context("binary", (False, True), True, baseline=table.assign(score=0.3))
    found = curves(table, context)
    roc, recall = found["roc"], found["precision_recall"]
    np.testing.assert_allclose(roc["baseline"], roc["false_positive_rate"])
    assert recall["baseline"].iloc[-1] == pytest.approx(recall["precision"].iloc[-1])
    assert roc["threshold"].iloc[1:].is_monotonic_decreasing
    assert curves(table, TRUE_OR_FALSE)["roc"]["baseline"].isna().all()


def test_a_band_is_that_of_the_curves_without_each_cluster_at_the_same_rate() -> None:
    """At a false positive rate of 1/3 they are at 0 without cluster a, and else at 1/2."""
    table = scored([0.9, 0.8, 0.6, 0.5, 0.4, 0.3], [1, 0, 1, 0, 1, 0], cluster=[*"abbcca"])
    x, y, *ends = curves(table, TRUE_OR_FALSE)["roc"].iloc[3, :4]
    expected = interval(Estimate(2 / 3, np.array([0, 0.5, 0.5]), 3.0), FRACTION)
    assert [x, y, *ends] == pytest.approx([1 / 3, 2 / 3, expected.low, expected.high])


def test_scores_are_counted_by_class_with_their_weight() -> None:
    table = rows()
    table.loc[:10, "score"] = [0.01] * 10 + [1]
    found = curves(table, TRUE_OR_FALSE)["scores"]
    positives = table.loc[table["target"], "weight"].sum()
    assert found["positive"].sum() == pytest.approx(positives)
    assert found["negative"].sum() == pytest.approx(table["weight"].sum() - positives)
    assert (found["low"].iloc[0], found["high"].iloc[-1]) == (0, 1)
    low = table.loc[table["score"] < 0.05, "weight"].sum()
    assert found.loc[0, ["negative", "positive"]].sum() == pytest.approx(low)


def test_the_value_curve_holds_the_threshold_in_use() -> None:
    table = rows(count=3000)
    table["score"] += np.arange(3000) / 1e6
    used = 0.4321
    curve = value_curve(Evaluated(table, TRUE_OR_FALSE), OperatingPoint((used, None), GAINS))
    at = curve[curve["threshold"] >= used].iloc[-1]
    acted = table[table["score"] >= used]
    gain = (acted["weight"] * np.where(acted["target"], 5, -1)).sum()
    assert at["value_per_1000"] == pytest.approx(1000 * gain / table["weight"].sum())
    assert at["value_per_1000_low"] < at["value_per_1000"] < at["value_per_1000_high"]
