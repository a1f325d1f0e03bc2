"""What differs between two settings, in words and as a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crivo.experiments.settings import (
    changes,
    experiment_name,
    in_words,
    is_used,
    used,
    valid_name,
)
from tests.crivo.experiments.repository import SETTINGS, settings


def test_a_block_that_is_not_in_use_changes_nothing() -> None:
    assert changes(settings(models__linear__C=5.0), SETTINGS) == {}
    assert "models.linear.C" not in used(SETTINGS)


def test_what_only_commands_read_changes_nothing() -> None:
    """So that an experiment from before there was a plan has the same settings as one with it."""
    assert changes(settings(compare={"planned_trials": 9}), SETTINGS) == {}
    assert not [key for key in used(SETTINGS) if key.startswith("compare")]


def test_the_trivial_baseline_s_settings_are_used() -> None:
    assert is_used("models.prior.anything", SETTINGS)


def test_a_changed_setting_is_told_by_its_short_name() -> None:
    assert in_words(settings(models__boosting__learning_rate=0.05), SETTINGS) == (
        "learning_rate=0.05"
    )


def test_another_block_is_told_with_those_of_its_settings_that_were_changed() -> None:
    other = settings(model="linear", models__linear__C=0.5)
    assert in_words(other, SETTINGS) == "model=linear, C=0.5"
    assert in_words(settings(model="linear"), SETTINGS) == "model=linear"


def test_a_setting_that_is_gone_is_told() -> None:
    without = settings()
    del without["evaluate"]["block"]
    assert changes(without, SETTINGS) == {"evaluate.block": (None, 5)}


def test_one_and_one_point_zero_are_the_same_setting_but_true_is_another() -> None:
    assert changes(settings(models__boosting__learning_rate=1), settings(
        models__boosting__learning_rate=1.0)) == {}  # fmt: skip
    assert changes(settings(seed=True), settings(seed=1)) == {"seed": (True, 1)}


def test_settings_with_one_last_part_are_told_apart() -> None:
    both = settings(models__boosting__depth=2, splitters__by_time__depth=3)
    assert in_words(both, SETTINGS) == "by_time.depth=3, boosting.depth=2"


def test_a_name_says_what_changed() -> None:
    slower = settings(models__boosting__learning_rate=0.05)
    assert experiment_name(slower, SETTINGS) == "boosting-learning_rate=0.05"
    linear = settings(model="linear", models__linear__C=0.5)
    assert experiment_name(linear, SETTINGS) == "linear-C=0.5"
    assert experiment_name(settings(evaluate__split="test"), SETTINGS) == "boosting-split=test"


def test_nothing_changed_is_named_after_the_model() -> None:
    assert experiment_name(SETTINGS, SETTINGS) == "boosting"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a b/c", "a_b_c"),
        ("a..b", "a_b"),
        ("-x.lock", "x"),
        ("~^:?*[\\", "experiment"),
        ("x" * 100, "x" * 71 + "-"),
    ],
)
def test_a_name_is_one_that_git_takes(text: str, name: str) -> None:
    assert valid_name(text).startswith(name)
    assert len(valid_name(text)) <= 80


@given(st.text())
def test_no_name_holds_what_git_forbids(text: str) -> None:
    name = valid_name(text)
    assert name
    assert not name.startswith((".", "-"))
    assert not name.endswith((".", ".lock"))
    assert not set(name) & set(" ~^:?*[\\/\x7f\n")
    assert ".." not in name
    assert "@{" not in name
