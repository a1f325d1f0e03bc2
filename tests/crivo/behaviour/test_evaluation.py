"""What the stage `evaluate` writes, computed here again."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.crivo.behaviour.shop import Shop
from tests.crivo.behaviour.test_json import never

FOLDER = "metrics/evaluation"


def predictions(shop: Shop) -> pd.DataFrame:
    return pd.read_parquet(shop.folder / FOLDER / "predictions.parquet")


def metrics(shop: Shop) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shop.read(f"{FOLDER}/metrics.json"))
    return found


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
