"""Tells what the checks found: to people, and to scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from crivo.checks.registry import Check, Finding


def render(findings: Sequence[Finding]) -> str:
    """Return the findings as text, one a line, and their count.

    >>> print(render([Finding("S004", "error", "seed", "no stage declares it.")]))
    S004 error    seed: no stage declares it.
    <BLANKLINE>
    1 error. `crivo check --explain CODE` explains a code.
    """
    if not findings:
        return "Nothing found."
    lines = [f"{f.code} {f.severity:<8} {f.subject}: {f.message}" for f in findings]
    counts = Counter(finding.severity for finding in findings)
    total = ", ".join(f"{n} {name}{'s' if n > 1 else ''}" for name, n in counts.items())
    return "\n".join([*lines, "", f"{total}. `crivo check --explain CODE` explains a code."])


def explain(checks: Iterable[Check]) -> str:
    """Return for each check what it finds, why that matters, and an example of a finding."""
    return "\n\n".join(
        f"{check.code}: {check.title} ({check.severity})\n\n{check.explanation}\n\n"
        f"Example: {check.example}"
        for check in checks
    )
