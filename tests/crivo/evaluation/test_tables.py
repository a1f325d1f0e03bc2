"""Tables of values with intervals and of differences with verdicts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from crivo.evaluation.intervals import Estimate, interval
from crivo.evaluation.jackknife import Jackknife
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.tables import difference_table, estimate, interval_table

METRICS = find_metrics(["roc_auc", "log_loss", "expected_calibration_error"], "binary")


def result(auc, loss, spread):
    noise = spread * np.array([-1.0, 0.0, 1.0])
    deleted = pd.DataFrame({"roc_auc": auc + noise, "log_loss": loss - noise}, list("abc"))
    values = pd.Series({"roc_auc": auc, "log_loss": loss, "expected_calibration_error": 0.02})
    return Jackknife(values, deleted, {}, 300, False)


def test_interval_table_has_a_row_per_metric():
    found = interval_table(result(0.7, 0.5, 0.01), METRICS)
    assert found.index.name == "metric"
    assert found.columns.tolist() == ["value", "se", "low", "high"]
    deleted = pd.Series([0.69, 0.70, 0.71], list("abc"))
    expected = (0.7, *interval(Estimate(0.7, deleted), (0, 1)))
    assert found.loc["roc_auc"].tolist() == pytest.approx(expected)


def test_intervals_are_cut_off_at_the_metrics_range():
    found = interval_table(result(0.99, 0.01, 0.1), METRICS)
    assert found.loc["roc_auc", "high"] == 1
    assert found.loc["log_loss", "low"] == 0


def test_a_metric_without_interval_has_a_value_alone():
    row = interval_table(result(0.7, 0.5, 0.01), METRICS).loc["expected_calibration_error"]
    assert row["value"] == 0.02
    assert row[["se", "low", "high"]].isna().all()
    missing = pd.Series([np.nan] * 3, list("abc"))
    pd.testing.assert_series_equal(estimate(result(0.7, 0.5, 0.01), METRICS[2]).deleted, missing)


def test_difference_table_gives_each_metric_with_an_interval_a_verdict():
    found = difference_table(result(0.8, 0.4, 0.001), result(0.7, 0.4, 0.002), METRICS)
    assert found.columns.tolist() == ["difference", "se", "low", "high", "verdict"]
    assert found["verdict"].to_dict() == {"roc_auc": "better", "log_loss": "undecided"}
    assert found.loc["roc_auc", "difference"] == pytest.approx(0.1)


def test_a_table_is_identical_to_itself():
    same = result(0.8, 0.4, 0.01)
    assert set(difference_table(same, same, METRICS)["verdict"]) == {"identical"}


def test_a_margin_is_for_its_metric_alone():
    one, other = result(0.701, 0.499, 0.0001), result(0.7, 0.5, 0.0002)
    found = difference_table(one, other, METRICS, {"roc_auc": 0.01})
    assert found["verdict"].to_dict() == {"roc_auc": "equivalent", "log_loss": "better"}


def test_a_critical_value_widens_every_interval():
    one, other = result(0.8, 0.4, 0.001), result(0.7, 0.4, 0.002)
    found = difference_table(one, other, METRICS, critical=500)
    assert (found["high"] - found["low"]).tolist() == pytest.approx((1000 * found["se"]).tolist())
    assert set(found["verdict"]) == {"undecided"}


def test_no_metrics_give_empty_tables_with_their_columns():
    assert interval_table(result(0.8, 0.4, 0.01), []).columns.tolist()[0] == "value"
    assert difference_table(result(0.8, 0.4, 0.1), result(0.8, 0.4, 0.1), []).empty
