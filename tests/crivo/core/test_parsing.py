"""Texts of unknown origin: plain values of a bounded size, or words that say what is wrong."""

from collections.abc import Callable
from typing import Any

import pytest

from crivo.core import parsing
from crivo.core.parsing import ParseError, parse_csv, parse_json, parse_yaml

PARSE: dict[str, Callable[[bytes | str], Any]] = {
    "yaml": parse_yaml, "json": parse_json, "csv": parse_csv,
}  # fmt: skip


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize("levels", [100, 101, 200_000])
def test_values_nest_a_hundred_deep_and_no_deeper(form: str, levels: int) -> None:
    text = '[{"a":' * (levels // 2) + "[" * (levels % 2) + "1" + "]" * (levels % 2)
    text += "}]" * (levels // 2)
    if levels == parsing.MAX_DEPTH:
        assert len(PARSE[form](text)) == 1
        assert len(PARSE[form](f"[{text[1:-1]}{', []' * levels}]")) == 1 + levels
        return
    with pytest.raises(ParseError, match="is nested more than 100 levels deep"):
        PARSE[form](text)


def test_an_alias_counts_as_what_it_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    # One mapping, two keys, and four values for each of two lists of three.
    monkeypatch.setattr(parsing, "MAX_NODES", 11)
    text = "a: &a [1, 2, 3]\nb: *a\n"
    assert parse_yaml(text)["b"] == [1, 2, 3]
    with pytest.raises(ParseError, match="holds more than 11 values"):
        parse_yaml(text.replace("b", "b: 1\nc"))


def test_values_of_a_bounded_size_are_read() -> None:
    assert len(parse_json(f"[{'0,' * 99_998}0]")) == 99_999
    with pytest.raises(ParseError, match="holds more than 100,000 values, with its aliases"):
        parse_json(f"[{'0,' * 99_999}0]")
    assert parse_json("[]".ljust(10_000_000)) == []
    assert parse_json(str(2**1024 - 1)) == 2**1024 - 1


@pytest.mark.parametrize(
    ("form", "text", "words"),
    [
        ("yaml", "a: 2013-02-30", "isn't valid YAML: day is out of range"),
        ("yaml", "a: 1\na: 2", "isn't valid YAML: .*found duplicate key .* column 1$"),
        ("yaml", f"a: 0x{'f' * 300}", "holds a whole number of more than 300 digits"),
        ("yaml", "a: 1\n---\nb: 2", "single document"),
        ("json", str(2**1024), "holds a whole number of more than 300 digits"),
        ("json", '{"A": 1, "A": 2}'.replace("A", "a" * 185), "'a{185}' occurs twice$"),
        ("json", '{"A": 1, "A": 2}'.replace("A", "a" * 186), "'a{186}' occurs twic…$"),
        ("json", '{"a": "\\ud800"}', "holds half of a character"),
        ("csv", "", "is empty"),
        ("csv", "a,b\n1\n", "has a row with 1 instead of 2 cells"),
        ("csv", f"{'a' * 201},b,{'a' * 201}\n", "names columns twice: a{200}$"),
        ("csv", f"a\n{'x' * 140_000}\n", "isn't valid CSV: field larger than field limit"),
        *((form, b"\xff\xfea", r"isn't text in UTF-8 \(byte 0\)") for form in PARSE),
        *((form, "#" * 10_000_001, "is larger than 10 MB") for form in PARSE),
    ],
)
def test_what_can_not_be_read_is_told(form: str, text: str | bytes, words: str) -> None:
    with pytest.raises(ParseError, match=words):
        PARSE[form](text)


def test_cells_stay_text() -> None:
    assert parse_csv('a,"b, c"\n1,\n\n"x ""y""",=2\n') == (
        ["a", "b, c"],
        [["1", ""], ['x "y"', "=2"]],
    )


@pytest.mark.parametrize(
    ("scalar", "value"),
    [("1e-5", 1e-5), ("yes", "yes"), ("012", 12), ("0x1f", 31), ("12:30", "12:30"), ("~", None)],
)
def test_scalars_are_those_of_yaml_1_2(scalar: str, value: object) -> None:
    assert parse_yaml(f"a: {scalar}\n") == {"a": value}
