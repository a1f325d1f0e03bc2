"""`crivo compare`: the verdict in words and as a document, what is listed, what is refused."""

import shutil
from pathlib import Path
from typing import Any

from tests.crivo.behaviour.shop import Shop
from tests.crivo.forked import PYTHON


def experiments(shop: Shop, *arguments: str) -> dict[str, dict[str, Any]]:
    """Return what the document says of each experiment, the best first."""
    listed = shop.crivo("compare", *arguments, "--json").document["experiments"]
    return {one["name"]: one for one in listed}


def test_the_verdict_follows_from_the_interval(seen: Shop) -> None:
    found = experiments(seen)
    verdicts = {name: one["verdict"] for name, one in found.items()}
    assert verdicts == {
        "trees": "better",
        "trees-seed=14": "better",
        "main": "reference",
        "stiff": "undecided",
        "linear-C=0.3": "undecided",
        "linear-C=0.7": "undecided",
        "flat": "worse",
    }
    for one in found.values():
        for metric in one["metrics"] if one["verdict"] != "reference" else []:
            low, high = metric["difference_low"], metric["difference_high"]
            assert low <= metric["difference"] <= high
            sign = {"better": 1, "worse": -1}.get(metric["verdict"], 0)
            less = metric["metric"] in ("log_loss", "brier")
            assert (low > 0) - (high < 0) == (-sign if less else sign), metric


def test_make_lists_experiments_and_those_on_test_rows_last(shop: Shop) -> None:
    shop.write("tests/crivo/library.mk", "")
    command = ("make", "--no-print-directory", "-o", "install", f"BIN={Path(PYTHON).parent}")
    lines = [line.split() for line in shop.run(*command, "experiments").splitlines()]
    splits = [words[-1] for words in lines if words[-1:] in (["valid"], ["test"])]
    assert splits == sorted(splits, reverse=True)
    assert splits.count("test") == 2
    assert "[trees-test]" in {word for words in lines[-3:] for word in words}


def test_other_definitions_are_evaluated_again_from_stored_predictions(shop: Shop) -> None:
    change = "evaluators.standard.share=0.2"
    said = shop.crivo("try", change, "--name", "fifth", "--json", status=None)
    assert said.document["outcome"] == "identical"
    again = "Evaluated again because their metrics were defined differently: fifth."
    assert again in said.document["comparison"]["notes"]
    svm = ("model=sklearn", "models.sklearn.estimator=sklearn.svm.LinearSVC")
    said = shop.crivo("try", *svm, "--name", "labels", "--json", status=3)
    (refused,) = said.document["comparison"]["refused"]
    assert refused["reason"].startswith("its predictions don't give roc_auc, the primary metric of")
    shutil.rmtree(shop.folder / ".dvc/cache/files")
    shutil.rmtree(shop.folder / ".dvc/tmp/crivo", ignore_errors=True)
    (refused,) = shop.crivo("compare", "fifth", "--json").document["refused"]
    assert refused["name"] == "fifth"
    assert "defin" in refused["reason"]
