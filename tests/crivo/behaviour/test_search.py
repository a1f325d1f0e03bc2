"""`crivo search`: what it runs, what it refuses, and how it goes on."""

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
