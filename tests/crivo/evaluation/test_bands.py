"""Bands around curves: leaving out each cluster in turn, point by point."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from crivo.core.evaluation import Context
from crivo.core.params import ValueSettings
from crivo.evaluation.curves import band
from crivo.evaluation.evaluated import Evaluated
from crivo.evaluation.tasks import evaluation_of
from crivo.evaluation.thresholds import OperatingPoint, Threshold
from crivo.evaluation.value import value_curve
from crivo.statistics.intervals import Estimate, interval

BINARY = Context("binary", (False, True), True)
GAINS = ValueSettings(true_positive=5, false_positive=-1)


def rows(seed: int = 0, count: int = 300, clusters: int = 10) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 2, count).round(2)
    return pd.DataFrame(
        {
            "id": [f"{i:04d}" for i in range(count)],
            "target": rng.random(count) < score,
            "prediction": score > 0.5,
            "score": score,
            "weight": rng.integers(1, 4, count).astype(float),
            "cluster": np.arange(count) % clusters,
        }
    )


def test_a_band_is_the_interval_of_each_point() -> None:
    values = np.array([[5.0, 7.0], [4.0, 7.5], [6.0, 7.0], [5.5, 6.0]])
    low, high = band(values, 3.0, fraction=False)
    for column in (0, 1):
        expected = interval(Estimate(values[0, column], values[1:, column]))
        assert (low[column], high[column]) == pytest.approx((expected.low, expected.high))


def test_a_band_of_shares_stays_between_0_and_1() -> None:
    values = np.array([[0.98, 1.0, 0.5], [0.90, 1.0, 0.4], [0.99, 1.0, 0.6]])
    low, high = band(values, 2.0, fraction=True)
    assert 0 < low[0] < 0.98 < high[0] < 1
    assert np.isnan(low[1])  # no interval where nothing varies: the end of the scale
    assert np.isnan(band(values[:2], 1.0, fraction=True)[0]).all()


def test_curves_have_bands_a_baseline_and_thresholds() -> None:
    table = rows()
    context = Context("binary", (False, True), True, baseline=table.assign(score=0.3))
    found = evaluation_of(context).curves(table)
    roc, recall = found["roc"], found["precision_recall"]
    inside = roc[roc["true_positive_rate"].between(0.05, 0.95)]
    assert (inside["true_positive_rate_low"] < inside["true_positive_rate"]).all()
    assert (inside["true_positive_rate"] < inside["true_positive_rate_high"]).all()
    np.testing.assert_allclose(roc["baseline"], roc["false_positive_rate"])
    assert recall["baseline"].iloc[-1] == pytest.approx(recall["precision"].iloc[-1])
    assert roc["threshold"].iloc[1:].is_monotonic_decreasing
    assert evaluation_of(BINARY).curves(table)["roc"]["baseline"].isna().all()


def test_scores_are_counted_by_class_with_their_weight() -> None:
    table = rows()
    found = evaluation_of(BINARY).curves(table)["scores"]
    positives = table.loc[table["target"], "weight"].sum()
    assert found["positive"].sum() == pytest.approx(positives)
    assert found["negative"].sum() == pytest.approx(table["weight"].sum() - positives)
    assert (found["low"].iloc[0], found["high"].iloc[-1]) == (0, 1)


def test_the_value_curve_holds_the_threshold_in_use() -> None:
    table = rows(count=3000)
    table["score"] += np.arange(3000) / 1e6
    used = 0.4321
    curve = value_curve(
        Evaluated(table, BINARY), OperatingPoint((Threshold(used, "value"), None), GAINS)
    )
    at = curve[curve["threshold"] >= used].iloc[-1]
    acted = table[table["score"] >= used]
    gain = (acted["weight"] * np.where(acted["target"], 5, -1)).sum()
    assert at["value_per_1000"] == pytest.approx(1000 * gain / table["weight"].sum())
    assert at["value_per_1000_low"] < at["value_per_1000"] < at["value_per_1000_high"]
