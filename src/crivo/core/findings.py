"""What a check is, and what it finds.

A check is a generator function: it is given what it looks at and yields what it finds, a
subject and a sentence. The decorator `Checks.check` adds the code and the severity, which
documentation and scripts refer to, and enters the check in a list. Its docstring is its entry
in `docs/checks.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import getdoc
from typing import Generic, Literal, NamedTuple, TypeVar

T = TypeVar("T")

Severity = Literal["error", "warning", "note"]


class Found(NamedTuple):
    """One thing a check found: where, and a sentence that says what and advises."""

    subject: str
    message: str


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with the project.

    `severity`: an `error` makes results wrong or unrepeatable, a `warning` is likely to, a
    `note` is worth knowing.
    """

    code: str
    severity: Severity
    subject: str
    message: str


@dataclass(frozen=True)
class Check(Generic[T]):
    """A check: its code, what it looks for, an example of a finding, and its function."""

    code: str
    title: str
    severity: Severity
    example: str
    search: Callable[[T], Iterator[Found]]

    def findings(self, subject: T) -> list[Finding]:
        """Return what is wrong with it, in the order it was found, nothing twice."""
        found = dict.fromkeys(self.search(subject))
        return [Finding(self.code, self.severity, *one) for one in found]

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
            self.enter(Check(code, title, severity, example, search))
            return search

        return enter

    def enter(self, check: Check[T]) -> None:
        """Add a check; ValueError when there is one of its code."""
        if check.code in self:
            raise ValueError(f"two checks have the code {check.code}")
        self[check.code] = check

    def findings(self, subject: T) -> list[Finding]:
        """Return what all of these checks find, in the order of their codes."""
        return [found for _, check in sorted(self.items()) for found in check.findings(subject)]
