"""Tells people what the checks found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from crivo.checks.project import Project
from crivo.checks.review import Checked, CheckResult
from crivo.core.findings import Check, Finding


def checked_text(checked: Checked, *, everything: bool = False) -> str:
    """Return findings, limits, then what muted checks found; `everything`: the other checks too."""
    counts = Counter(finding.severity for finding in checked.findings)
    total = ", ".join(f"{n} {name}{'s' if n > 1 else ''}" for name, n in counts.items())
    end = f"{total}. `crivo check --explain CODE` explains a code."
    lines = [*map(_line, checked.findings), "", end]
    if not checked.findings:
        lines = ["Nothing found."]
    if checked.limits:
        lines += ["", "Limits:", *map(str, checked.limits)]
    muted = [line for one in checked.checks if one.state == "muted" for line in _muted(one)]
    if muted:
        lines += ["", "Muted in params.yaml:", *muted]
    if everything:
        passed = [f"{one.code} {one.title}" for one in checked.checks if one.state == "passed"]
        rest = [
            f"{one.code} {one.title}: {one.reason}"
            for one in checked.checks
            if one.state == "not applicable"
        ]
        lines += ["", "Passed:", *passed, "", "Not applicable:", *rest]
    return "\n".join(lines)


def _line(one: Finding) -> str:
    return f"{one.code} {one.severity:<8} {one.subject}: {one.message}"


def _muted(one: CheckResult) -> list[str]:
    if not one.muted:
        return [f"{one.code} {one.title}: found nothing ({one.reason})"]
    return [f"{_line(each)} ({one.reason})" for each in one.muted]


def explain(checks: Iterable[Check[Project]]) -> str:
    """Return for each check what it finds, why that matters, and an example of a finding."""
    return "\n\n".join(
        f"{check.code}: {check.title} ({check.severity})\n\n{check.explanation}\n\n"
        f"Example: {check.example}"
        for check in checks
    )
