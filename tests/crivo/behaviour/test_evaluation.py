"""What the stage `evaluate` writes, computed here again."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

from tests.crivo.behaviour.shop import Shop
from tests.crivo.behaviour.test_json import never

FOLDER = "metrics/evaluation"


def predictions(shop: Shop) -> pd.DataFrame:
    return pd.read_parquet(shop.folder / FOLDER / "predictions.parquet")


def metrics(shop: Shop) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shop.read(f"{FOLDER}/metrics.json"))
    return found


def test_metrics_are_those_of_scikit_learn(seen: Shop) -> None:
    table, found = predictions(seen), metrics(seen)
    positive, score = table["target"] == "yes", table["score"]
    assert found["roc_auc"] == pytest.approx(roc_auc_score(positive, score), abs=1e-9)
    precision = average_precision_score(positive, score)
    assert found["average_precision"] == pytest.approx(precision, abs=1e-9)
    assert found["log_loss"] == pytest.approx(log_loss(positive, score), abs=1e-9)
    assert found["brier"] == pytest.approx(brier_score_loss(positive, score), abs=1e-9)
    assert found["baseline_roc_auc"] == 0.5
    assert found["verdict"] == "better"


def test_intervals_follow_from_the_jackknife_table(seen: Shop) -> None:
    """The log odds without each cluster give the interval: Student's t, effective clusters."""
    deleted = pd.read_csv(seen.folder / FOLDER / "jackknife.csv")
    table = pd.read_csv(seen.folder / FOLDER / "intervals.csv")
    row = table[(table["metric"] == "roc_auc") & (table["of"] == "model")].iloc[0]
    odds = np.log(deleted["roc_auc"] / (1 - deleted["roc_auc"]))
    count = len(odds)
    error = math.sqrt((count - 1) / count * ((odds - odds.mean()) ** 2).sum())
    effective = json.loads(seen.read(f"{FOLDER}/evaluation.json"))["effective_clusters"]
    half = stats.t.ppf(0.975, effective - 1) * error
    center = math.log(row["value"] / (1 - row["value"]))
    for end, sign in (("low", -1), ("high", 1)):
        expected = 1 / (1 + math.exp(-(center + sign * half)))
        assert row[end] == pytest.approx(expected, abs=1e-6)
        assert 0 < row[end] < 1


def test_slices_have_their_own_lines(seen: Shop) -> None:
    lines = pd.read_csv(seen.folder / FOLDER / "slices.csv")
    countries = lines[lines["column"] == "country"]
    rows = pd.read_parquet(seen.folder / "data/prepared/valid.parquet")["country"].value_counts()
    expected = {f"country = {name}": count for name, count in rows.items()}
    assert dict(zip(countries["slice"], countries["rows"], strict=True)) == expected
    assert countries["status"].str.startswith("too small: ").all()


def test_importance_and_error_rows_are_written(seen: Shop) -> None:
    importance = pd.read_csv(seen.folder / FOLDER / "plots/importance.csv")
    assert set(importance["feature"]) == {"price", "age", "country"}
    assert (importance["loss_increase_low"] <= importance["loss_increase_high"]).all()
    worst = pd.read_csv(seen.folder / FOLDER / "errors/worst.csv")
    table = predictions(seen)
    loss = -np.log(np.where(table["target"] == "yes", table["score"], 1 - table["score"]))
    assert worst["id"].iloc[0] == table["id"].iloc[int(np.argmax(loss))]
    assert {"price", "age", "country"} <= set(worst.columns)
    assert (seen.folder / FOLDER / "errors/by_slice.csv").is_file()


def test_the_threshold_follows_from_gains_and_capacity(shop: Shop) -> None:
    assert json.loads(shop.read(f"{FOLDER}/threshold.json"))["threshold"] == 0.5
    shop.replace("params.yaml", "    capacity:\n", "    capacity: 0.2\n")
    shop.replace("params.yaml", "  cluster:\n", "  cluster: country\n")
    shop.replace("params.yaml", "    true_positive: 0.0", "    true_positive: 10")
    shop.replace("params.yaml", "    false_positive: 0.0", "    false_positive: -4")
    shop.dvc("repro", "--quiet")
    assert set(pd.read_csv(shop.folder / FOLDER / "jackknife.csv")["cluster"]) == {"pt", "br", "de"}
    threshold = json.loads(shop.read(f"{FOLDER}/threshold.json"))["threshold"]
    table = predictions(shop)
    acted = (table["score"] >= threshold).mean()
    assert acted == pytest.approx(0.2, abs=1.5 / len(table))
    value = pd.read_csv(shop.folder / FOLDER / "value.csv").set_index("of")["value_per_1000"]
    rate = (table["target"] == "yes").mean()
    assert value["act_on_all"] == pytest.approx(1000 * (10 * rate - 4 * (1 - rate)), rel=1e-6)
    assert value["act_on_none"] == 0


def test_no_json_file_holds_what_json_has_not(seen: Shop) -> None:
    files = [*(seen.folder / "metrics").rglob("*.json")]
    assert len(files) > 3
    for path in files:
        json.loads(path.read_text(encoding="utf-8"), parse_constant=never)
