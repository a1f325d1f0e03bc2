"""`crivo incumbent`: the experiment that a new one must beat."""

import json

from tests.crivo.behaviour.shop import Shop


def test_it_is_set_shown_compared_with_and_cleared(shop: Shop) -> None:
    assert "no incumbent" in shop.crivo("incumbent").text
    said = shop.crivo("incumbent", "trees")
    assert "trees is the incumbent now, chosen from " in said.text
    assert "trees" in json.dumps(json.loads(shop.read("metrics/incumbent.json")))
    shown = shop.crivo("incumbent", "--json").document
    assert shown["name"] == "trees"
    document = shop.crivo("compare", "stiff", "--json").document
    assert document["reference"].startswith("trees")
    assert document["experiments"][0]["verdict"] in ("worse", "reference")
    assert "incumbent was removed" in shop.crivo("incumbent", "--clear").text
    assert shop.crivo("compare", "--json").document["reference"] == "main"


def test_evaluate_compares_with_it(shop: Shop) -> None:
    shop.crivo("incumbent", "trees")
    shop.dvc("repro", "--quiet")
    metrics = json.loads(shop.read("metrics/evaluation/metrics.json"))
    assert metrics["verdict"] == "worse"
    assert metrics["verdict_against"].startswith("trees")
    assert metrics["vs_incumbent"] < 0
