"""What can't be seen is written out wherever people read, and no text of theirs is a formula."""

from crivo.runtime.messages import VisibleFormatter

import json
import logging
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.results import as_json
from crivo.core.text_guard import escape_control, escape_formulas

# The characters of Unicode that turn the direction of writing round (PropList.txt, Bidi_Control).
TURNS = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
EVIL = "\x1b]0;owned\x07\r\u202ecod.exe\u2066\x9b31m"


def test_no_control_character_and_no_turn_of_direction_is_left() -> None:
    control = [c for c in range(sys.maxunicode) if unicodedata.category(chr(c)) in ("Cc", "Cs")]
    for code in {*control, *TURNS} - {ord("\n"), ord("\t")}:
        assert escape_control(chr(code)).isascii(), hex(code)
        assert escape_control(chr(code)).isprintable(), hex(code)


@pytest.mark.parametrize(
    "text", ["a\nb\tc", "ação ± –", "👩‍👩‍👧", "می‌خواهم", "a\u00a0b", "日本語", "e\u0301", r"C:\x1b"]
)
def test_what_can_be_seen_stays_as_it_is(text: str) -> None:
    assert escape_control(text) == text


def test_errors_and_log_lines_are_safe_to_look_at() -> None:
    assert str(CrivoError(f"no {EVIL}")) == f"no {escape_control(EVIL)}"
    record = logging.LogRecord("crivo", logging.WARNING, "", 0, "%s!", (EVIL,), None)
    shown = VisibleFormatter("%(levelname)s: %(message)s").format(record)
    assert shown == f"WARNING: {escape_control(EVIL)}!"


@pytest.mark.parametrize("text", ["=1+1", "+a|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "-1 day"])
def test_a_text_that_begins_like_a_formula_gets_an_apostrophe(text: str) -> None:
    (cell,) = escape_formulas(pd.DataFrame({"a": [text]}))["a"]
    assert cell[0] == "'"
    assert cell[1:].replace(r"\r", "\r") == text


@pytest.mark.parametrize("text", ["+1.5", "-1.234,5", "-.5", "-1e-5", "-12 %", "a=b", "'=1", ""])
def test_numbers_and_other_text_stay_as_they_are(text: str) -> None:
    table = pd.DataFrame({"a": [text]})
    pd.testing.assert_frame_equal(escape_formulas(table), table)


def test_names_of_columns_and_categories_are_text_too() -> None:
    table = pd.DataFrame([["@a", -1.5]], columns=["=x", "-y"]).astype({"=x": "category"})
    shown = escape_formulas(table)
    assert list(shown.columns) == ["'=x", "'-y"]
    assert shown.iloc[0].tolist() == ["'@a", -1.5]


def test_whole_numbers_beside_a_gap_stay_whole() -> None:
    cells = [2**60 + 1, None]
    shown = escape_formulas(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))
    assert shown["x"].tolist() == cells


def test_what_programs_read_is_exact_and_what_people_read_is_safe(tmp_path: Path) -> None:
    cells = pd.DataFrame({"=name": ["=1+1", "\x1b[31m"]})
    files = ("slices.csv", "errors/worst.csv", "intervals.csv", "jackknife.csv", "plots/roc.csv")
    artifacts.write_files(tmp_path, {**dict.fromkeys(files, cells), "report.md": "\x1b[31m\u202e"})
    for name in files:
        exact = name in ("intervals.csv", "jackknife.csv", "plots/roc.csv")
        expected = "=name\n=1+1\n\x1b[31m\n" if exact else "'=name\n'=1+1\n\\x1b[31m\n"
        assert (tmp_path / name).read_text() == expected, name
    assert (tmp_path / "report.md").read_text() == r"\x1b[31m\u202e"


def test_json_is_plain_text_whatever_it_says() -> None:
    said = {"name": "\x1b[31m\x7f\u202eé", "count": np.int64(3), "kind": int}
    text = as_json("try", said)
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    found = json.loads(text)
    assert [found[key] for key in said] == [said["name"], 3, "<class 'int'>"]
