"""The framework of all checks: the decorator that registers a check, and the findings it yields.

A check is a generator function: it is given what it looks at and yields what it finds, a
subject and a sentence. The decorator `Checks.check` adds the code and the severity, which
documentation and scripts refer to, and enters the check in a list. Its docstring is its entry
in `docs/checks.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from inspect import getdoc
from logging import Logger
from typing import TYPE_CHECKING, Final, Generic, Literal, NamedTuple, TypeVar

from crivo.core.results import result

if TYPE_CHECKING:
    import pandas as pd

S = TypeVar("S")
T = TypeVar("T")

Severity = Literal["error", "warning", "note"]
# What makes results doubtful.
GRAVE = ("error", "warning")
PASSED: Final = "passed"
NOT_APPLICABLE: Final = "not applicable"


class Found(NamedTuple):
    """One thing a check found: where, and a sentence that says what and advises."""

    subject: str
    message: str


@result
class Finding:
    """A problem that a check found in the project."""

    code: str
    """The check's code; checks.md lists them."""
    severity: Severity
    """How serious the problem is; checks.md explains the three severities."""
    subject: str
    """What it is about: a file, a setting, a stage or a column."""
    message: str
    """What is wrong, and what to do."""


@dataclass(frozen=True)
class Silent:
    """A check that found nothing, as a row beside findings.

    `severity`: that it passed, or that it isn't applicable, for a reason that is the `message`.
    """

    code: str
    severity: Literal["passed", "not applicable"]
    subject: str
    message: str = ""


class NotApplicable(Exception):
    """Raised by a check that has nothing to look at; the message says why, without a full stop."""


@dataclass(frozen=True)
class Check(Generic[T]):
    """A check: its code, what it looks for, an example of a finding, and its function."""

    code: str
    title: str
    severity: Severity
    example: str
    search: Callable[[T], Iterator[Found]]

    def findings(self, subject: T) -> list[Finding]:
        """Return what is wrong with it, in the order it was found, nothing twice.

        NotApplicable: there is nothing to look at.
        """
        unique_results = dict.fromkeys(self.search(subject))
        return [Finding(self.code, self.severity, *one) for one in unique_results]

    def review(self, subject: T) -> Sequence[Finding | Silent]:
        """Return what is wrong with it, or else that the check passed or isn't applicable."""
        try:
            found = self.findings(subject)
        except NotApplicable as why:
            return [Silent(self.code, NOT_APPLICABLE, self.title, str(why))]
        return found or [Silent(self.code, PASSED, self.title)]

    @property
    def explanation(self) -> str:
        """Return why it matters and what to do: the function's docstring."""
        return getdoc(self.search) or ""


class Checks(dict[str, Check[T]]):
    """The checks of one kind of thing by their codes."""

    def check(
        self, code: str, title: str, *, severity: Severity, example: str
    ) -> Callable[[Callable[[T], Iterator[Found]]], Callable[[T], Iterator[Found]]]:
        """Enter a function in the list of checks."""

        def enter(search: Callable[[T], Iterator[Found]]) -> Callable[[T], Iterator[Found]]:
            self[code] = Check(code, title, severity, example, search)
            return search

        return enter

    def review(self, subject: T) -> list[Finding | Silent]:
        """Return what became of all of these checks, in the order of their codes."""
        return [outcome for _, check in sorted(self.items()) for outcome in check.review(subject)]


def findings_table(findings: Iterable[Finding | Silent]) -> pd.DataFrame:
    """Return findings as a table of texts: `code`, `severity`, `subject`, `message`.

    Each text is one line, whatever a column of the data is called. The subject of a check that
    found nothing is its title.
    """
    import pandas as pd

    columns = [field.name for field in fields(Finding)]
    rows = [[" ".join(text.split()) for text in astuple(one)] for one in findings]
    return pd.DataFrame(rows, columns=columns, dtype="str")


def log_findings(log: Logger, findings: Iterable[Finding | Silent]) -> None:
    """Log what is grave: errors and warnings."""
    for one in findings:
        if one.severity in GRAVE:
            log.warning("%s: %s: %s", one.code, one.subject, one.message)
