"""`crivo new`, and trials of blocks: a block works as it is written, and nothing else is edited."""

from __future__ import annotations

from tests.crivo.behaviour.shop import Shop


def test_a_new_model_works_as_it_is_written(shop: Shop) -> None:
    shop.crivo("new", "model", "mine")
    shop.git("add", "--all")
    document = shop.crivo("try", "model=mine", "--json", status=None).document
    assert document["outcome"] in ("better", "worse", "undecided", "equivalent", "identical")
    assert document["comparison"]["experiments"][0]["changed"].startswith("model=mine")


def test_any_estimator_of_scikit_learn_is_a_setting(shop: Shop) -> None:
    settings = (
        "models.sklearn.estimator=sklearn.neighbors.KNeighborsClassifier",
        "+models.sklearn.settings.KNeighborsClassifier.n_neighbors=9",
    )
    document = shop.crivo("try", "model=sklearn", *settings, "--json", status=None).document
    assert document["outcome"] in ("better", "undecided", "worse")
    assert "n_neighbors=9" in document["comparison"]["experiments"][0]["changed"]


def test_a_column_is_left_out_by_a_trial(shop: Shop) -> None:
    change = "datasets.table.drop=[age]"
    document = shop.crivo("try", change, "-m", "It adds nothing", "--json", status=None).document
    assert document["outcome"] in ("undecided", "worse", "better")
    assert "drop" in document["comparison"]["experiments"][0]["changed"]
