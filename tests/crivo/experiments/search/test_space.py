"""The space of a search: how it is written, what of it is refused, and which points it has."""

from __future__ import annotations

from typing import Any

import pytest
from optuna.distributions import CategoricalDistribution as Choices
from optuna.distributions import FloatDistribution, IntDistribution

from crivo.core.errors import CrivoError
from crivo.records.searches import KeptSearch, SearchTrial
from crivo.trials.search.driver import propose
from crivo.trials.search.space import as_text, parse_dimension, read_space
from tests.crivo.experiments.search.fake import PARAMS, RATE, TREES

MANY = ("max_iter", "max_leaf_nodes")
DECIDING = ("dataset", "splitter", "splitters", "evaluator", "evaluators.a", "evaluate", "prepare")


@pytest.mark.parametrize(
    ("given", "dimension"),
    [
        ("boosting,forest", Choices(("boosting", "forest"))),
        ("forest", Choices(("forest",))),
        ("choice(0.1, 1)", Choices((0.1, 1))),
        ("1, 1.0, true, null", Choices((1, 1.0, True, None))),
        ([1, "a"], Choices((1, "a"))),
        (5, Choices((5,))),
        ("uniform(0, 1)", FloatDistribution(0, 1)),
        ("log(1e-5, 0.3)", FloatDistribution(1e-5, 0.3, log=True)),
        ("int(2, 8)", IntDistribution(2, 8)),
        ("int( 2 ,8, 3 )", IntDistribution(2, 8, step=3)),
        ("logint(5, 100)", IntDistribution(5, 100, log=True)),
        ("int(1, 1000001)", IntDistribution(1, 1000001)),
        ("uniform(0.1234567, 1)", FloatDistribution(0.1234567, 1)),
    ],
)
def test_a_space_is_written_as_values_or_as_a_range(given: Any, dimension: object) -> None:
    parsed = parse_dimension("k", given)
    assert parsed == dimension
    assert parse_dimension("k", as_text(given, parsed)) == parsed


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("learning_rate=0.1", r"did you mean `models.boosting.learning_rate`\?"),
        ("models.forest=1", "search: models.forest: it is a section, not a setting"),
        ("model=boosting,forrest", "search: models.forrest: there is no model 'forrest'; did you"),
        (f"{RATE}=lgo(0.1, 0.3)", r"is 'lgo\(0.1, 0.3\)'; expected values"),
        (f"{RATE}=uniform(0, .inf)", "or a range, the smaller end first"),
        (f"{RATE}=0.1,fast", "search: models.boosting.learning_rate: is 'fast', but it "),
        ("models.boosting.max_iter=uniform(5, 9)", "iter: is 5.0, but it should be a valid int"),
        ("models.boosting.max_iter=int(2, 8, 0)", r"int\(10, 100, 10\) with a step"),
        ("compare.planned_trials=1,2", "can't be searched: no stage reads it"),
        ("baseline=prior,linear", "can't be searched: every model is compared with it"),
        ("train.fraction=0.5,1", "can't be searched: a model fitted on a part"),
        *((f"{key}=1,2", "can't be searched: it decides which rows") for key in DECIDING),
        (f"{RATE}", "gives no values; expected key=values"),
    ],
)
def test_a_wrong_space_is_one_clear_sentence(given: str, sentence: str) -> None:
    with pytest.raises(CrivoError, match=sentence) as caught:
        read_space(PARAMS, [given])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "section",
    [
        {"model": ["boosting", "forest"], RATE: "log(0.01, 0.3)", TREES: [3, 5]},
        {
            "models": {"boosting": {"learning_rate": "log(0.01, 0.3)"}, "forest": {"trees": "3,5"}},
            "model": "boosting,forest",
        },
    ],
)
def test_params_yaml_names_the_space_by_keys_or_in_sections(section: dict[str, Any]) -> None:
    space = read_space({**PARAMS, "search": section})
    assert space.texts == {"model": "boosting,forest", RATE: "log(0.01, 0.3)", TREES: "3,5"}


def test_a_setting_that_only_the_baseline_reads_is_not_varied() -> None:
    space = read_space({**PARAMS, "baseline": "forest"}, ["model=boosting,forest", f"{TREES}=3,5"])
    points = [{"model": "boosting"}, *({"model": "forest", TREES: trees} for trees in (3, 5))]
    assert list(space.points()) == points


def test_a_grid_has_every_whole_number_and_takes_no_range_without_values() -> None:
    space = read_space(PARAMS, ["models.boosting.max_iter=int(2, 8, 3)"])
    assert [list(one.values()) for one in space.points()] == [[2], [5], [8]]
    with pytest.raises(CrivoError, match="learning_rate=0.01,1.0, or let --sampler"):
        read_space(PARAMS, [f"{RATE}=log(0.01, 1)"]).points()
    with pytest.raises(CrivoError, match="more than 100,000 points"):
        read_space(PARAMS, [f"models.boosting.{key}=int(2, 999)" for key in MANY]).points()


def test_only_tpe_learns_from_results() -> None:
    space = read_space(PARAMS, [f"{RATE}=uniform(0.01, 0.9)"])

    def proposed(sampler: str, sign: int) -> float:
        told = [(one, {RATE: 0.05 * (one + 1)}, sign * one) for one in range(17)]
        trials = tuple(SearchTrial(one, rate, "done", value=value) for one, rate, value in told)
        search = KeptSearch("mine", sampler, 1, 1, space.texts, trials)
        return float(propose(search, space, [], float)[RATE])

    assert proposed("tpe", 1) > 0.5 > proposed("tpe", -1)
    assert proposed("random", 1) == proposed("random", -1)
