"""Checks of results that a team writes: what they may be, and what becomes of their findings."""

import sys
from types import ModuleType

import pytest

from crivo.core.errors import CrivoError
from crivo.evaluation import result_checks
from crivo.evaluation.result_checks import Results, check


def module(code: str, *, finds: bool) -> ModuleType:
    """Return a file of a team's with one check."""
    made = ModuleType("blocks.checks.made")

    @check(code, "Few rows", severity="note")
    def few(results: Results):
        """Why it matters."""
        if finds:
            yield "rows", "There are few of them."

    made.few = few
    return made


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    known = {
        "found": module("X001", finds=True),
        "quiet": module("X002", finds=False),
        "again": module("X001", finds=True),
        "empty": ModuleType("blocks.checks.empty"),
    }
    monkeypatch.setattr(result_checks, "own_modules", lambda folder: known)
    return known


def test_what_is_found_has_the_check_s_code_and_severity(files):
    made = result_checks.own_checks(["found", "quiet"])
    (found, quiet) = [one for check in made for one in check.review(Results())]
    assert (found.code, found.severity, found.subject) == ("X001", "note", "rows")
    assert (quiet.code, quiet.severity) == ("X002", "passed")
    assert result_checks.own_checks([]) == []


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["fuond"], "names 'fuond', which isn't a check; did you mean"),
        (["found", "again"], "one @check of its own code"),
        (["empty"], "one @check of its own code"),
    ],
)
def test_names_without_a_check_of_their_own_are_refused(files, names, words):
    with pytest.raises(CrivoError, match=words):
        result_checks.own_checks(names)


def test_a_code_of_another_form_is_refused():
    with pytest.raises(CrivoError, match="expected X and three digits"):
        check("R001", "Mine")
    assert "blocks.checks.made" not in sys.modules
