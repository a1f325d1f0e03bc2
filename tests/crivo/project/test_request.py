"""What the user says decides the settings; the rest follows from the table."""

import pytest

from crivo.project.request import Request, raised_limit


@pytest.mark.parametrize(
    ("options", "splitter"),
    [
        ({}, "at_random"),
        ({"group": "g"}, "by_group"),
        ({"time": "t"}, "by_time"),
        ({"time": "t", "group": "g"}, "by_time_and_group"),
    ],
)
def test_the_splitter_suits_the_roles(options: dict[str, str], splitter: str) -> None:
    assert Request("y", **options).splitter == splitter


def test_how_to_read_stays_and_roles_are_new() -> None:
    known = {"delimiter": ";", "decimal": None, "target": "old", "drop": ["old"], "time": "old"}
    settings = Request("y", drop=("a",)).table(known)
    assert settings["delimiter"] == ";"
    assert "decimal" not in settings
    assert (settings["target"], settings["drop"], settings["time"]) == ("y", ["a"], None)


@pytest.mark.parametrize(("bad", "limit"), [(0, 0.05), (5, 0.05), (6, 0.06), (61, 0.61)])
def test_the_quarantine_limit_is_raised_no_further_than_needed(bad: int, limit: float) -> None:
    assert raised_limit(0.05, bad, 100) == limit
