"""Checks are entered once, and what they find becomes a table."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from crivo.core import artifacts
from crivo.core.findings import Checks, Finding, Found, NotApplicable, findings_table, log_findings

NUMBERS: Checks[list[int]] = Checks()
NOTE = Finding("N002", "note", "NA", "is large.")


@NUMBERS.check("N002", "Too large", severity="note", example="9: is large.")
def large(numbers: list[int]) -> Iterator[Found]:
    """Small numbers are easier to read."""
    for number in numbers:
        if number > 5:
            yield Found(str(number), "is large.")


@NUMBERS.check("N001", "Nothing to add", severity="error", example="numbers: there are none.")
def empty(numbers: list[int]) -> Iterator[Found]:
    """A sum needs numbers."""
    if not numbers:
        yield Found("numbers", "there are none.")


def test_findings_come_by_code_and_none_twice() -> None:
    found = [(one.code, one.severity) for one in NUMBERS.review([])]
    assert found == [("N001", "error"), ("N002", "passed")]
    assert [one.subject for one in NUMBERS["N002"].findings([9, 1, 7, 9])] == ["9", "7"]
    assert NUMBERS["N001"].explanation == "A sum needs numbers."
    assert [one.subject for one in large([7])] == ["7"]  # who enters a check can still call it


def test_a_review_says_of_each_check_what_it_found_or_that_it_passed_or_why_it_is_not_applicable(
    caplog: pytest.LogCaptureFixture,
) -> None:
    checks: Checks[list[int]] = Checks(NUMBERS)

    @checks.check("N003", "Not in order", severity="error", example="numbers: aren't in order.")
    def ordered(numbers: list[int]) -> Iterator[Found]:
        raise NotApplicable("there are fewer than two numbers")
        yield

    reviewed = checks.review([9])
    assert findings_table(reviewed).to_numpy().tolist() == [
        ["N001", "passed", "Nothing to add", ""],
        ["N002", "note", "9", "is large."],
        ["N003", "not applicable", "Not in order", "there are fewer than two numbers"],
    ]
    grave = [Finding("N001", "error", "7", "odd"), Finding("N004", "warning", "8", "even")]
    log_findings(logging.getLogger("crivo.x"), [*reviewed, *grave])
    assert caplog.messages == ["N001: 7: odd", "N004: 8: even"]


def test_a_finding_is_one_line_in_the_table_whatever_a_column_is_called(tmp_path: Path) -> None:
    table = findings_table([Finding("N001", "error", "a\rb\n# c", "is  empty."), NOTE])
    assert table["subject"].tolist() == ["a b # c", "NA"]
    assert table["message"][0] == "is empty."
    artifacts.write_csv(tmp_path / "findings.csv", table)
    again = artifacts.read_csv(tmp_path / "findings.csv", as_text=True)
    assert again.to_dict("list") == table.to_dict("list")
