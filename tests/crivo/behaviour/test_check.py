"""`crivo check`: rules and limits are broken in a copy of the project, and found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.crivo.behaviour.shop import Shop


def wrong_settings(shop: Shop) -> None:
    shop.replace("params.yaml", "    max_iter: 15", "    max_itre: 15")
    shop.replace("params.yaml", "seed: 13\n", "seed: 13\nsede: 1\n")


def table(shop: Shop, name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    """Change a Parquet file that a stage wrote."""
    path = shop.folder / name
    rows = pd.read_parquet(path)
    path.unlink()
    change(rows).to_parquet(path)


def prepared(shop: Shop, split: str) -> pd.DataFrame:
    return pd.read_parquet(shop.folder / f"data/prepared/{split}.parquet")


def featurize(shop: Shop) -> None:
    """Run the stage that checks the rows, on rows that were changed by hand."""
    shop.dvc("repro", "--quiet", "--single-item", "featurize")


def rows_in_two_splits(shop: Shop) -> None:
    train = prepared(shop, "train")
    table(shop, "data/prepared/valid.parquet", lambda rows: pd.concat([rows, train.iloc[:20]]))


def evaluate(shop: Shop) -> None:
    """Fit and evaluate again, on files that were changed by hand."""
    for stage in ("train", "evaluate"):
        shop.dvc("repro", "--quiet", "--single-item", stage)


def turned_targets(shop: Shop) -> None:
    """Later rows mean the opposite."""

    def turn(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(returned=np.where(rows["returned"] == "yes", "no", "yes"))

    table(shop, "data/prepared/valid.parquet", turn)


# What is broken in one copy of the project, by its name, and the codes that are found.
BROKEN: dict[str, tuple[tuple[Callable[[Shop], None], ...], str]] = {
    "settings": ((wrong_settings,), "S001"),
    "rows": ((rows_in_two_splits, featurize), "L001"),
    "results": ((turned_targets, evaluate), "R002"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_each_rule_is_found(shop: Shop, what: str) -> None:
    breaks, codes = BROKEN[what]
    for one in breaks:
        one(shop)
    said = shop.crivo("check", "--json", status=None)
    findings: list[dict[str, Any]] = said.document["findings"]
    found = {one["code"] for one in findings}
    assert {*codes.split()} <= found, findings
    assert "S004" not in found, "a setting that S001 names is not said twice"
    grave = any(one["severity"] == "error" for one in findings)
    grave |= any(one["state"] != "holds" for one in said.document["limits"])
    assert said.status == int(grave)
    for one in findings:
        assert one["subject"]
        assert one["message"]


def test_a_wrong_setting_stops_a_stage_before_any_work(shop: Shop) -> None:
    """Also one of a block that isn't in use."""
    model = shop.folder / "models/model.skops"
    before = model.read_bytes()
    shop.replace("params.yaml", "    max_iter: 15", "    max_itre: 15")
    shop.write("src/train.py", shop.read("src/train.py") + "\n")
    said = shop.dvc("repro", fails=True)
    assert "did you mean `max_iter`" in said
    assert "Traceback" not in said
    assert not model.exists() or model.read_bytes() == before


def test_a_sound_project_has_no_error(seen: Shop) -> None:
    seen.crivo("check")
    document = seen.crivo("check", "--all", "--json").document
    states = {one["code"]: one["state"] for one in document["checks"]}
    assert states["L001"] == states["S001"] == states["R002"] == "passed"
    assert states["L003"] == "not applicable"
    assert not [one for one in document["findings"] if one["severity"] == "error"]


LIMIT = "    at_least: 0.3"


def test_a_limit_that_is_violated_is_an_exit_status(shop: Shop) -> None:
    assert "\nLimits:\nholds " in shop.crivo("check").out
    limits = shop.crivo("check", "--json").document["limits"]
    assert [one["state"] for one in limits] == ["holds"] * 2
    shop.replace("params.yaml", LIMIT, "    at_least: 0.99")
    said = shop.crivo("check", "--json", status=1)
    states = {one["name"]: one["state"] for one in said.document["limits"]}
    assert states == {"roc_auc_low": "violated", "model_mb": "holds"}
    assert "roc_auc_low" in shop.crivo("check", status=1).text


def test_the_time_of_a_prediction_is_measured_when_it_is_limited(shop: Shop) -> None:
    shop.replace("params.yaml", "  model_mb:\n    at_most: 50", "  predict_ms:\n    at_most: 60000")
    (limit,) = [one for one in shop.crivo("check", "--json").document["limits"]
                if one["name"] == "predict_ms"]  # fmt: skip
    assert limit["value"] > 0


def test_a_result_that_was_chosen_is_limited_after_its_selection(shop: Shop) -> None:
    chosen = shop.crivo("compare", "--json").document["after_selection"]
    low = next(one["low"] for one in chosen if one["name"] == "trees")
    shop.dvc("exp", "apply", "trees")
    document = shop.crivo("check", "--json").document
    assert next(one["value"] for one in document["limits"] if one["name"] == "roc_auc_low") == low
    assert "after selection among 6 models" in shop.crivo("check").out
