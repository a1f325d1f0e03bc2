"""What differs between two settings, in words and in an experiment's name."""

from crivo.records.settings import changes, experiment_name, in_words, is_used, used, valid_name
from tests.crivo.experiments.repository import SETTINGS, settings

SLOWER = settings(models__boosting__learning_rate=0.05)
LINEAR = settings(model="linear", models__linear__C=0.5)


def test_what_no_stage_reads_changes_nothing() -> None:
    """So an experiment from before there was a plan has the same settings as one with it."""
    assert changes(settings(models__linear__C=5.0), SETTINGS) == {}
    assert changes(settings(compare={"planned_trials": 9}), SETTINGS) == {}
    assert not [key for key in used(SETTINGS) if key.startswith(("compare", "models.linear"))]
    assert is_used("models.prior.anything", SETTINGS)  # those of the trivial baseline


def test_changed_settings_are_told_by_short_names_with_the_block_that_was_chosen() -> None:
    assert in_words(SLOWER, SETTINGS) == "learning_rate=0.05"
    assert in_words(LINEAR, SETTINGS) == "model=linear, C=0.5"
    assert in_words(settings(model="linear"), SETTINGS) == "model=linear"
    both = settings(models__boosting__depth=2, splitters__by_time__depth=3)
    assert in_words(both, SETTINGS) == "by_time.depth=3, boosting.depth=2"


def test_a_setting_that_is_gone_is_told() -> None:
    without = settings()
    del without["evaluate"]["block"]
    assert changes(without, SETTINGS) == {"evaluate.block": (None, 5)}


def test_one_and_one_point_zero_are_the_same_setting_but_true_is_another() -> None:
    assert changes(settings(models__boosting__learning_rate=1), settings(
        models__boosting__learning_rate=1.0)) == {}  # fmt: skip
    assert changes(settings(seed=True), settings(seed=1)) == {"seed": (True, 1)}


def test_a_name_says_what_changed() -> None:
    assert experiment_name(SLOWER, SETTINGS) == "boosting-learning_rate=0.05"
    assert experiment_name(LINEAR, SETTINGS) == "linear-C=0.5"
    assert experiment_name(settings(evaluate__split="test"), SETTINGS) == "boosting-split=test"
    assert experiment_name(SETTINGS, SETTINGS) == "boosting"


def test_no_name_holds_what_git_forbids() -> None:
    assert (valid_name("a b/c"), valid_name("~^:?*[\\")) == ("a_b_c", "experiment")
    assert len(valid_name("x" * 100)) == 80
    letters = [chr(code) for code in (*range(0x300), 0x2028, 0xFFFF, 0x1F600)]
    for text in ("", *(f"{one}{other}a{one}" for one in letters for other in ("", ".", "/", "@{"))):
        name = valid_name(text)
        assert name
        assert not name.startswith((".", "-"))
        assert not name.endswith((".", ".lock"))
        assert not set(name) & set(" ~^:?*[\\/\x7f\n")
        assert ".." not in name
        assert "@{" not in name
