"""Tells what the checks found: to people, and to scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from crivo.checks.project import Project
from crivo.checks.registry import Check, Finding
from crivo.checks.running import Outcome, found


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


def render_outcomes(outcomes: Sequence[Outcome], *, everything: bool = False) -> str:
    """Return findings, then what muted checks found; `everything`: the other checks as well."""
    lines = [render(found(outcomes))]
    muted = [line for one in outcomes if one.state == "muted" for line in _muted(one)]
    if muted:
        lines += ["", "Muted in params.yaml:", *muted]
    if everything:
        lines += ["", "Passed:", *(_line(one) for one in outcomes if one.state == "passed")]
        rest = [one for one in outcomes if one.state == "not applicable"]
        lines += ["", "Not applicable:", *(f"{_line(one)}: {one.reason}" for one in rest)]
    return "\n".join(lines)


def _muted(outcome: Outcome) -> Iterator[str]:
    if not outcome.findings:
        yield f"{_line(outcome)}: found nothing ({outcome.reason})"
    for one in outcome.findings:
        yield f"{one.code} {one.severity:<8} {one.subject}: {one.message} ({outcome.reason})"


def _line(outcome: Outcome) -> str:
    return f"{outcome.check.code} {outcome.check.title}"


def explain(checks: Iterable[Check[Project]]) -> str:
    """Return for each check what it finds, why that matters, and an example of a finding."""
    return "\n\n".join(
        f"{check.code}: {check.title} ({check.severity})\n\n{check.explanation}\n\n"
        f"Example: {check.example}"
        for check in checks
    )
