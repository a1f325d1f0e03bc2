"""`crivo new`, and trials of blocks: a block works as it is written, and nothing else is edited."""

from __future__ import annotations

import pytest

from tests.crivo.behaviour.shop import Shop

FOLDERS = {"model": "models", "featurizer": "featurizers", "splitter": "splitters",
           "evaluator": "evaluators", "dataset": "datasets"}  # fmt: skip


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_new_block_works_and_marks_what_to_fill_in(shop: Shop, kind: str) -> None:
    said = shop.crivo("new", kind, "mine")
    path = f"src/blocks/{FOLDERS[kind]}/mine.py"
    assert path in said.out
    assert "git add" in said.out
    assert "FILL IN" in shop.read(path)
    assert "  mine:" in shop.read("params.yaml")
    shop.git("add", "--all")
    shop.crivo("check", "--only", "blocks", "--only", "settings", status=None)
    assert "S001" not in shop.crivo("check", "--only", "S001").out


def test_a_new_model_works_as_it_is_written(shop: Shop) -> None:
    shop.crivo("new", "model", "mine")
    shop.git("add", "--all")
    document = shop.crivo("try", "model=mine", "--json", status=None).document
    assert document["outcome"] in ("better", "worse", "undecided", "equivalent", "identical")
    assert document["changed"].startswith("model=mine")


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("model", "My-Tree", "such as my_tree"),
        ("model", "../tree", "lower-case letters"),
        ("model", "linear", "src/blocks/models/linear.py already exists"),
        ("forest", "tree", "isn't a kind of block"),
        ("metric", "roc_auc", "There is a metric roc_auc already"),
    ],
)
def test_a_wrong_kind_or_name_writes_nothing(shop: Shop, kind: str, name: str, words: str) -> None:
    assert words in shop.crivo("new", kind, name, status=1).text
    assert shop.status() == ""


def test_any_estimator_of_scikit_learn_is_a_setting(shop: Shop) -> None:
    settings = (
        "models.sklearn.estimator=sklearn.neighbors.KNeighborsClassifier",
        "+models.sklearn.settings.KNeighborsClassifier.n_neighbors=9",
    )
    document = shop.crivo("try", "model=sklearn", *settings, "--json", status=None).document
    assert document["outcome"] in ("better", "undecided", "worse")
    assert "n_neighbors=9" in document["changed"]


def test_a_column_is_left_out_by_a_trial(shop: Shop) -> None:
    change = "datasets.table.drop=[age]"
    document = shop.crivo("try", change, "-m", "It adds nothing", "--json", status=None).document
    assert document["outcome"] in ("undecided", "worse", "better")
    assert "drop" in document["changed"]
