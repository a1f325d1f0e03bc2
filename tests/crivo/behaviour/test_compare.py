"""`crivo compare`: the verdict in words and as a document, what is listed, what is refused."""

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.crivo.behaviour.shop import Shop
from tests.crivo.forked import PYTHON

SEARCHED = ["linear-C=0.3", "linear-C=0.7"]


def experiments(shop: Shop, *arguments: str) -> dict[str, dict[str, Any]]:
    """Return what the document says of each experiment, the best first."""
    listed = shop.crivo("compare", *arguments, "--json").document["experiments"]
    return {one["name"]: one for one in listed}


def test_the_first_line_is_the_answer_about_the_best(seen: Shop) -> None:
    text = seen.crivo("compare").out
    line = text.splitlines()[0]
    assert line.startswith("trees is better than main: roc_auc +")
    assert "; no metric is shown to be worse; " in line
    assert line.endswith("; interval corrected for multiple trials (trial 1 of 5)")
    assert seen.crivo("compare", "--json").document["answer"] == line


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


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("--where model=boosting", ["trees", "trees-seed=14"]),
        ("--where verdict=worse", ["flat"]),
        ("--where verdict=worse --where verdict=undecided", ["flat", "stiff", *SEARCHED]),
        ("--where search=cs", SEARCHED),
        ("flat", ["flat"]),
    ],
)
def test_options_choose_what_is_listed_and_not_what_counts(
    seen: Shop, arguments: str, names: list[str]
) -> None:
    whole, found = experiments(seen), experiments(seen, *arguments.split())
    first = tuple(f"{name} " for name in names) or "no experiment matches"
    assert seen.crivo("compare", *arguments.split()).out.startswith(first)
    assert {name for name in found if name != "main"} == set(names)
    for name in names:
        assert found[name] == whole[name]


def test_a_margin_of_the_settings_makes_a_trial_equivalent(shop: Shop) -> None:
    shop.replace("params.yaml", "    share: 0.1", "    share: 0.1\n    margin: 0.2")
    shop.dvc("repro", "--quiet")
    shop.commit("Say what doesn't matter")
    said = shop.crivo("try", "models.linear.C=0.5", "--json", status=1)
    assert said.document["outcome"] == "equivalent"


def test_make_lists_experiments_and_those_on_test_rows_last(shop: Shop) -> None:
    shop.write("tests/crivo/library.mk", "")
    command = ("make", "--no-print-directory", "-o", "install", f"BIN={Path(PYTHON).parent}")
    lines = [line.split() for line in shop.run(*command, "experiments").splitlines()]
    splits = [words[-1] for words in lines if words[-1:] in (["valid"], ["test"])]
    assert splits == sorted(splits, reverse=True)
    assert splits.count("test") == 2
    assert "[trees-test]" in {word for words in lines[-3:] for word in words}


def test_without_experiments_it_says_how_to_make_one(shop: Shop) -> None:
    for ref in shop.git("for-each-ref", "--format=%(refname)", "refs/exps", "refs/crivo").split():
        shop.git("update-ref", "-d", ref)
    assert "crivo try" in shop.crivo("compare", status=None).text


def test_other_definitions_are_evaluated_again_from_stored_predictions(shop: Shop) -> None:
    change = "evaluators.standard.share=0.2"
    said = shop.crivo("try", change, "--name", "fifth", "--json", status=None)
    assert said.document["outcome"] == "identical"
    shutil.rmtree(shop.folder / ".dvc/cache/files")
    shutil.rmtree(shop.folder / ".dvc/tmp/crivo", ignore_errors=True)
    (refused,) = shop.crivo("compare", "fifth", "--json").document["refused"]
    assert refused["name"] == "fifth"
    assert "defin" in refused["reason"]


def predictions(shop: Shop, revision: str) -> pd.DataFrame:
    """Return the predictions that an experiment stored, read by DVC."""
    path = "metrics/evaluation/predictions.parquet"
    shop.dvc("get", ".", path, "--rev", revision, "--out", f"{revision}.parquet", "--quiet")
    return pd.read_parquet(shop.folder / f"{revision}.parquet").set_index("id")


def test_rows_are_fixed_and_broken_as_their_predictions_say(shop: Shop) -> None:
    one, other = predictions(shop, "main"), predictions(shop, "trees")
    before, after = (table["prediction"] == table["target"] for table in (one, other))
    document = shop.crivo("compare", "--rows", "main", "trees", "--json").document
    fixed, broken = int((~before & after).sum()), int((before & ~after).sum())
    assert fixed > broken > 0
    counts = document["counts"]
    assert (counts["fixed"], counts["broken"]) == (fixed, broken)
    assert document["net"]["value"] == round((fixed - broken) / len(one), 10)
    assert document["net"]["low"] > 0
    assert {row["id"] for row in document["rows"]} <= set(one.index)


def test_it_names_what_differs_in_making_and_the_rows_with_their_columns(seen: Shop) -> None:
    text = seen.crivo("compare", "main", "trees", "--rows").text
    assert "fixed minus broken +0." in text
    assert "setting model: linear → boosting" in text
    assert "price=" in text
    assert "A row is fixed or broken only if its decision changed." in text
    document = seen.crivo("compare", "--rows", "main", "trees", "--json").document
    assert (document["one"], document["other"]) == ("main", "trees")
