"""What the stage `evaluate` writes, computed here again."""

import json
from typing import Any

import pandas as pd
import pytest

from tests.crivo.behaviour.shop import Shop

FOLDER = "metrics/evaluation"


def predictions(shop: Shop) -> pd.DataFrame:
    return pd.read_parquet(shop.folder / FOLDER / "predictions.parquet")


def metrics(shop: Shop) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shop.read(f"{FOLDER}/metrics.json"))
    return found


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


def test_evaluate_compares_with_the_incumbent(shop: Shop) -> None:
    shop.crivo("incumbent", "trees")
    shop.dvc("repro", "--quiet")
    found = metrics(shop)
    assert found["verdict"] == "worse"
    assert found["verdict_against"].startswith("trees")
    assert found["vs_incumbent"] < 0
