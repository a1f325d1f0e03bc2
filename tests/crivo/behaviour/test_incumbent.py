"""`crivo incumbent`: the experiment that a new one must beat."""

import json

from tests.crivo.behaviour.shop import Shop


def test_evaluate_compares_with_it(shop: Shop) -> None:
    shop.crivo("incumbent", "trees")
    shop.dvc("repro", "--quiet")
    metrics = json.loads(shop.read("metrics/evaluation/metrics.json"))
    assert metrics["verdict"] == "worse"
    assert metrics["verdict_against"].startswith("trees")
    assert metrics["vs_incumbent"] < 0
