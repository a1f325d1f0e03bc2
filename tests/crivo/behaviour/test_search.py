"""`crivo search`: what it runs, what it refuses, and how it goes on."""

from __future__ import annotations

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


def test_a_search_goes_on_and_is_the_same_again(shop: Shop) -> None:
    space = ("models.linear.C=uniform(0.2, 2)", "--sampler", "random", "--seed", "5", "--json")
    one = shop.crivo("search", *space, "--trials", "1", "--name", "one", status=None)
    more = shop.crivo("search", "--resume", "one", "--trials", "2", "--json", status=None)
    other = ("--trials", "2", "--name", "whole", "--workers", "1")
    whole = shop.crivo("search", *space, *other, status=None)
    first, second, third = (
        [trial["values"] for trial in said.document["trials"]] for said in (one, more, whole)
    )
    assert first == second[:1]
    assert second == third
    assert "trials" in shop.crivo("search", "--resume", "one", "--trials", "1", status=1).text


def test_the_space_may_stand_in_params_yaml(shop: Shop) -> None:
    text = shop.read("params.yaml")
    shop.write("params.yaml", text + "\nsearch:\n  models.linear.C: [0.5]\n")
    document = shop.crivo("search", "--sampler", "grid", "--json", status=None).document
    assert document["space"] == {"models.linear.C": "0.5"}
    assert [one["experiment"] for one in document["trials"]] == ["stiff"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["models.linear.C=log(0, 1)"], "log"),
        (["models.linear.C=uniform(2, 1)"], "uniform(2, 1)"),
        (["models.linear.C=-1,1"], "models.linear.C"),
        (["models.forest.trees=int(1, 9)"], "forest"),
        (["seed=1,2"], "the best seed is luck"),
        (["evaluate.split=valid,test"], "evaluate.split"),
        (["train.fraction=uniform(0.1, 1)"], "train.fraction"),
        ([], "search"),
    ],
)
def test_a_wrong_space_is_refused_before_anything_runs(
    seen: Shop, arguments: list[str], words: str
) -> None:
    before = seen.git("for-each-ref", "refs/exps", "refs/crivo")
    said = seen.crivo("search", *arguments, "--json", status=3)
    assert said.document["outcome"] == "refused"
    assert words in said.document["error"]
    assert seen.git("for-each-ref", "refs/exps", "refs/crivo") == before


def test_a_scheduler_that_is_none_is_one_sentence(seen: Shop) -> None:
    address = "http://head:80"
    said = seen.crivo("search", "models.linear.C=0.33", "--scheduler", address, status=1)
    assert "Traceback" not in said.err
    assert address in said.text
