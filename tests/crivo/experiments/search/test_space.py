"""The space of a search: how it is written, what of it is refused, and which points it has."""

from __future__ import annotations

import pytest

from crivo.core.errors import CrivoError
from crivo.records.searches import KeptSearch, SearchTrial
from crivo.trials.search.driver import propose
from crivo.trials.search.space import read_space
from tests.crivo.experiments.search.fake import PARAMS, RATE, TREES

MANY = ("max_iter", "max_leaf_nodes")


def test_params_yaml_names_the_space_by_keys_or_in_sections() -> None:
    models = {"boosting": {"learning_rate": "log(0.01, 0.3)"}, "forest": {"trees": "3,5"}}
    keys = {"model": ["boosting", "forest"], RATE: "log(0.01, 0.3)", TREES: [3, 5]}
    for section in (keys, {"models": models, "model": "boosting,forest"}):
        space = read_space({**PARAMS, "search": section})
        assert space.texts == {"model": "boosting,forest", RATE: "log(0.01, 0.3)", TREES: "3,5"}


def test_a_setting_that_only_the_baseline_reads_is_not_varied() -> None:
    space = read_space({**PARAMS, "baseline": "forest"}, ["model=boosting,forest", f"{TREES}=3,5"])
    points = [{"model": "boosting"}, *({"model": "forest", TREES: trees} for trees in (3, 5))]
    assert list(space.points()) == points


def test_a_grid_has_every_whole_number_and_takes_no_range_without_values() -> None:
    space = read_space(PARAMS, ["models.boosting.max_iter=int(2, 8, 3)"])
    assert [list(one.values()) for one in space.points()] == [[2], [5], [8]]
    for given, written in (
        (f"{RATE}=log(0.01, 1)", "learning_rate=0.01,1.0"),
        (f"{RATE}=uniform(0.01, 1)", "learning_rate=0.01,1.0"),
        ("models.boosting.max_iter=logint(2, 8)", "max_iter=2,8"),
    ):
        with pytest.raises(CrivoError, match=f"{written}, or let --sampler"):
            read_space(PARAMS, [given]).points()
    assert len(read_space(PARAMS, ["models.boosting.max_iter=int(1, 100000)"]).points()) == 100_000
    with pytest.raises(CrivoError, match="more than 100,000 points"):
        read_space(PARAMS, [f"models.boosting.{key}=int(2, 999)" for key in MANY]).points()


def test_only_tpe_learns_from_results_but_those_of_the_window() -> None:
    space = read_space(PARAMS, [f"{RATE}=uniform(0.01, 0.9)"])

    def proposed(sampler: str, values: list[int], window: int = 1, *untold: float) -> float:
        trials = tuple(
            SearchTrial(one, {RATE: 0.05 * (one + 1)}, "done", value=value)
            for one, value in enumerate(values)
        )
        search = KeptSearch("mine", sampler, 1, window, space.texts, trials)
        return float(propose(search, space, [{RATE: one} for one in untold], float)[RATE])

    up, down = [*range(17)], [*range(0, -17, -1)]
    assert proposed("tpe", up) > 0.5 > proposed("tpe", down)
    assert proposed("random", up) == proposed("random", down)
    assert proposed("tpe", up, 1, 0.1, 0.1, 0.1) > 0.85 > proposed("tpe", up, 1, 0.87, 0.87, 0.87)
    # Those that might still run when the next is proposed aren't known, however fast they were.
    for window in (2, 3):
        for place in range(17 - window, 17):
            other = [*up[:place], -99, *up[place + 1 :]]
            same = proposed("tpe", other, window) == proposed("tpe", up, window)
            assert same == (place > 17 - window), (window, place)
