"""How experiments are named."""

import pytest

from crivo.records.settings import experiment_name, valid_name
from tests.crivo.experiments.repository import SETTINGS, settings


def test_a_name_says_what_changed() -> None:
    slower = settings(models__boosting__learning_rate=0.05)
    assert experiment_name(slower, SETTINGS) == "boosting-learning_rate=0.05"
    linear = settings(model="linear", models__linear__C=0.5)
    assert experiment_name(linear, SETTINGS) == "linear-C=0.5"
    assert experiment_name(settings(evaluate__split="test"), SETTINGS) == "boosting-split=test"
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


def test_no_name_holds_what_git_forbids() -> None:
    letters = [chr(code) for code in (*range(0x300), 0x2028, 0xFFFF, 0x1F600)]
    for text in ("", *(f"{one}{other}a{one}" for one in letters for other in ("", ".", "/", "@{"))):
        name = valid_name(text)
        assert name
        assert not name.startswith((".", "-"))
        assert not name.endswith((".", ".lock"))
        assert not set(name) & set(" ~^:?*[\\/\x7f\n")
        assert ".." not in name
        assert "@{" not in name
