"""`crivo search`, `repeat` and `confirm`: the trials of a space, recipes, and test rows."""

import pytest

from tests.crivo.behaviour.shop import Shop


def test_each_point_of_a_grid_is_an_experiment(seen: Shop) -> None:
    document = seen.said("search").document
    assert (document["search"], document["sampler"], document["finished"]) == ("cs", "grid", True)
    assert document["space"] == {"models.linear.C": "0.3,0.7"}
    tried = {one["experiment"]: one["values"] for one in document["trials"]}
    assert tried == {f"linear-C={c}": {"models.linear.C": c} for c in (0.3, 0.7)}
    assert seen.experiments() >= set(tried)


def test_the_end_says_what_is_the_best_and_what_to_do(seen: Shop) -> None:
    document = seen.said("search").document
    best = max(document["trials"], key=lambda one: one["value"])
    assert document["best"] == best["experiment"]
    assert document["luck"] is None  # `trees` is better than both
    again = seen.crivo("search", "--resume", "cs", status=None)
    assert "cs (grid, seed 13): 2 trials: 2 run." in again.text
    assert "Next: " in again.text


def test_a_block_s_setting_varies_only_in_trials_that_use_the_block(shop: Shop) -> None:
    given = ("model=linear,prior", "models.linear.C=0.5", "--sampler", "grid", "--workers", "1")
    document = shop.crivo("search", *given, "--json", status=None).document
    assert {one["experiment"] for one in document["trials"]} == {"stiff", "flat"}
    values = {one["experiment"]: set(one["values"]) for one in document["trials"]}
    assert values == {"stiff": {"model", "models.linear.C"}, "flat": {"model"}}


def test_a_recipe_over_seeds_is_the_mean_of_its_runs(seen: Shop) -> None:
    said = seen.said("seeds")
    assert said.out.startswith("trees over 2 seeds: roc_auc 0.")
    assert "seed 13" in said.out
    assert "trees-seed=14" in said.out
    assert "A verdict about recipes needs 5 seeds each" in said.text


def test_a_recipe_over_folds_is_the_mean_of_its_folds(seen: Shop) -> None:
    document = seen.said("folds").document
    values = [one["value"] for one in document["runs"]]
    assert document["summary"]["value"] == pytest.approx(sum(values) / 2)
    assert len(values) == 2
    assert [one["name"] for one in document["runs"]] == ["trees-fold=1of2", "trees-fold=2of2"]
    assert "crivo repeat main --folds 2" in document["note"]


def test_a_model_is_evaluated_on_the_test_rows_once(seen: Shop) -> None:
    again = seen.crivo("confirm", "trees", "--json")
    assert "Evaluating" not in again.err
    assert again.document["outcome"] == "held"
    assert again.document["test"]["split"] == "test"
    assert again.document["validation"]["split"] == "valid"


def test_a_learning_curve_is_made_of_experiments_that_are_no_trials(seen: Shop) -> None:
    said = seen.said("curve")
    assert "stiff-fraction=0.25" in said.out
    assert "more training rows" in said.text
    fractions = ("--fractions", "0.5", "--fractions", "0.25")
    again = seen.crivo("repeat", "stiff", *fractions, "--json")
    assert "Running" not in again.err
    assert [one["fraction"] for one in again.document["points"]] == [0.25, 0.5, 1.0]
