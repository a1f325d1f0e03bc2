"""Runs the checks on a project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crivo.checks import data, structure
from crivo.checks.project import Project
from crivo.checks.registry import CHECKS, Check, Finding
from crivo.core.errors import CrivoError
from crivo.repository.progress import each
from crivo.repository.unreadable import Unreadable

UNREADABLE = "P001"

# What `only` takes beside codes: the first letters of a group's codes.
GROUPS = {"structure": structure.LETTERS, "data": data.LETTERS}


def run(root: Path, only: Sequence[str] | None = None) -> list[Finding]:
    """Return everything that is wrong with the project in a folder, in the order of the codes.

    `only`: codes, their first letters or a group's name, to leave out all other checks. Where
    a check can't be done because a file is unreadable, that is a finding, whatever `only` says.
    """
    project = Project(root)
    findings: dict[Finding, None] = {}
    for one in each(chosen(only), "Checking"):
        try:
            findings |= dict.fromkeys(one.findings(project))
        except Unreadable as error:
            severity = CHECKS[UNREADABLE].severity
            findings[Finding(UNREADABLE, severity, error.subject, error.message)] = None
    return list(findings)


def chosen(only: Sequence[str] | None = None) -> list[Check]:
    """Return the checks whose codes start with one of these; CrivoError for one that none has."""
    starts = [start for code in only or GROUPS for start in GROUPS.get(code, (code.upper(),))]
    for start in starts:
        if not any(code.startswith(start) for code in CHECKS):
            known = ", ".join([*GROUPS, *sorted(CHECKS)])
            raise CrivoError(f"There is no check {start!r}; there are: {known}.")
    return [one for code, one in sorted(CHECKS.items()) if code.startswith(tuple(starts))]
