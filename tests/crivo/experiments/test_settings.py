"""What differs between two settings, in words."""

from crivo.records.settings import changes, in_words, is_used, used
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
