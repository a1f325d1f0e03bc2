"""What the stage `evaluate` writes: tables, computed here again, and the report."""

import json
import re
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


PAGE = "metrics/evaluation/report.html"


def words(page: str) -> str:
    """Return what a reader sees, without markup."""
    page = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_page_loads_nothing_and_has_the_answer_at_the_top(seen: Shop) -> None:
    page = seen.read(PAGE)
    assert not re.findall(r"(?:src|href)=\"?(?:https?:)?//", page)
    top = words(page)[:3000]
    assert "roc_auc" in top or "ROC AUC" in top
    assert "baseline" in top
    assert all(code in words(page) for code in ("L001", "L005", "T001", "R002"))
    assert "title" in seen.read("metrics/features/findings.csv").partition("\n")[0]
    text = seen.read("metrics/evaluation/report.md")
    assert text.startswith("## ")
    assert "| roc_auc" in text


def test_the_report_uses_the_team_s_words(shop: Shop) -> None:
    old = "    min_class_rows: 1\n"
    new = old + "    words: {rows: parcels, positive: sent back, negative: kept}\n"
    shop.replace("params.yaml", old, new)
    shop.dvc("repro", "--quiet")
    page = words(shop.read(PAGE))
    assert "parcels" in page
    assert "sent back" in page
