"""`crivo check`: whether the result meets the limits in `params.yaml`."""

from tests.crivo.behaviour.shop import Shop

LIMIT = "    at_least: 0.3"


def test_a_limit_that_is_violated_is_an_exit_status(shop: Shop) -> None:
    assert "\nLimits:\nholds " in shop.crivo("check").out
    assert [one["state"] for one in shop.crivo("check", "--json").document["limits"]] == [
        "holds"
    ] * 2
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


def test_without_limits_the_gate_is_open(shop: Shop) -> None:
    text = shop.read("params.yaml")
    limits = "limits:\n  roc_auc_low:\n    at_least: 0.3\n  model_mb:\n    at_most: 50\n"
    shop.write("params.yaml", text.replace(limits, "limits: {}\n"))
    assert "Limits" not in shop.crivo("check").text
    assert shop.crivo("check", "--json").document["limits"] == []


def test_limits_without_a_result_are_said_not_to_be_checked(shop: Shop) -> None:
    (shop.folder / "metrics/evaluation/evaluation.json").unlink()
    assert "no result to check against the limits" in shop.crivo("check", status=None).err
    assert "run `dvc repro`" in shop.crivo("check", "--only", "limits", status=1).err


def test_a_result_that_was_chosen_is_limited_after_its_selection(shop: Shop) -> None:
    chosen = shop.crivo("compare", "--json").document["after_selection"]
    low = next(one["low"] for one in chosen if one["name"] == "trees")
    shop.dvc("exp", "apply", "trees")
    document = shop.crivo("check", "--json").document
    assert next(one["value"] for one in document["limits"] if one["name"] == "roc_auc_low") == low
    assert "after selection among 6 models" in shop.crivo("check").out
