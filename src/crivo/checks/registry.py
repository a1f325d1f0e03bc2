"""What a check is, and the list of all of them.

A check is a generator function: it is given the project and yields what it finds, a subject
and a sentence. The decorator adds the code and the severity, which documentation and scripts
refer to, and enters the check in the list. Its docstring is its entry in `docs/checks.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import getdoc
from typing import Literal, NamedTuple

from crivo.checks.project import Project

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
class Check:
    """A check: its code, what it looks for, an example of a finding, and its function."""

    code: str
    title: str
    severity: Severity
    example: str
    search: Callable[[Project], Iterator[Found]]

    def findings(self, project: Project) -> list[Finding]:
        """Return what is wrong with a project, in the order it was found, nothing twice."""
        found = dict.fromkeys(self.search(project))
        return [Finding(self.code, self.severity, *one) for one in found]

    @property
    def explanation(self) -> str:
        """Return why it matters and what to do: the function's docstring."""
        return getdoc(self.search) or ""


CHECKS: dict[str, Check] = {}


def check(
    code: str, title: str, *, severity: Severity, example: str
) -> Callable[[Callable[[Project], Iterator[Found]]], Callable[[Project], Iterator[Found]]]:
    """Enter a function in the list of checks."""

    def enter(
        search: Callable[[Project], Iterator[Found]],
    ) -> Callable[[Project], Iterator[Found]]:
        if code in CHECKS:
            raise ValueError(f"two checks have the code {code}")
        CHECKS[code] = Check(code, title, severity, example, search)
        return search

    return enter
