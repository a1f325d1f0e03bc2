"""CSV files for people: no text is a formula, and numbers stay numbers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from crivo.core import artifacts
from crivo.core.spreadsheet import for_people


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "=", "-1 day"]
)
def test_a_text_that_begins_like_a_formula_gets_an_apostrophe(text: str) -> None:
    (cell,) = for_people(pd.DataFrame({"a": [text]}))["a"]
    assert cell[0] == "'"
    assert cell[1:].replace(r"\r", "\r") == text


@pytest.mark.parametrize(
    "text", ["-1", "+1.5", "-1.234,5", "-.5", "-1e-5", "-12 %", "a=b", "1-2", "'=1", "", " -a"]
)
def test_numbers_and_other_text_stay_as_they_are(text: str) -> None:
    table = pd.DataFrame({"a": [text]})
    pd.testing.assert_frame_equal(for_people(table), table)


def test_names_of_columns_and_categories_are_text_too() -> None:
    table = pd.DataFrame([["@a", -1.5]], columns=["=x", "-y"]).astype({"=x": "category"})
    shown = for_people(table)
    assert list(shown.columns) == ["'=x", "'-y"]
    assert shown.iloc[0].tolist() == ["'@a", -1.5]


def test_a_table_with_gaps_and_a_name_twice_keeps_its_form() -> None:
    table = pd.DataFrame([[1, "=a", None], [2, None, "b"]], columns=["n", "c", "c"])
    shown = for_people(table)
    assert shown.shape == (2, 3)
    assert list(shown.columns) == ["n", "c", "c"]
    assert shown.iloc[0, 1] == "'=a"
    assert shown.iloc[1, 1] is None or pd.isna(shown.iloc[1, 1])


def test_what_programs_read_is_exact_and_what_people_read_is_safe(tmp_path: Path) -> None:
    cells = pd.DataFrame({"=name": ["=1+1", "\x1b[31m"]})
    files = ("slices.csv", "errors/worst.csv", "intervals.csv", "jackknife.csv", "plots/roc.csv")
    artifacts.write_files(tmp_path, {**dict.fromkeys(files, cells), "report.md": "\x1b[31m\u202e"})
    for name in files:
        exact = name in ("intervals.csv", "jackknife.csv", "plots/roc.csv")
        expected = "=name\n=1+1\n\x1b[31m\n" if exact else "'=name\n'=1+1\n\\x1b[31m\n"
        assert (tmp_path / name).read_text() == expected, name
    assert (tmp_path / "report.md").read_text() == r"\x1b[31m\u202e"
