"""Tells what the checks found: to people, and to scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from crivo.checks.project import Project
from crivo.checks.running import Outcome, found
from crivo.core.findings import Check, Finding
from crivo.core.results import result
from crivo.evaluation.limits import CheckedLimit


@result
class CheckResult:
    """A check and its result."""

    code: str
    """The check's code."""
    title: str
    """What the check looks for."""
    state: Literal["found", "passed", "not applicable", "muted"]
    """Whether the check found something, passed, doesn't apply or is muted."""
    reason: str
    """Why the check doesn't apply, or why it is muted."""
    muted: tuple[Finding, ...]
    """What a muted check found."""


@result
class Checked:
    """The findings of the checks, and the limits in params.yaml."""

    findings: tuple[Finding, ...]
    """All findings that aren't muted; empty if there are none."""
    checks: tuple[CheckResult, ...]
    """All checks and their results."""
    limits: tuple[CheckedLimit, ...] = ()
    """The limits, and whether the result meets them; empty if params.yaml sets none."""

    @property
    def failed(self) -> bool:
        """Whether there is an error, or a limit doesn't hold."""
        wrong = any(finding.severity == "error" for finding in self.findings)
        return wrong or any(one.state != "holds" for one in self.limits)


def checked(outcomes: Sequence[Outcome], limits: Sequence[CheckedLimit] = ()) -> Checked:
    """Return what became of the checks, as `crivo check` prints it."""
    return Checked(
        tuple(found(outcomes)),
        tuple(
            CheckResult(
                one.check.code,
                one.check.title,
                one.state,
                one.reason,
                tuple(one.findings) if one.state == "muted" else (),
            )
            for one in outcomes
        ),
        tuple(limits),
    )


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


def render_checked(checked: Checked, *, everything: bool = False) -> str:
    """Return findings, limits, then what muted checks found; `everything`: the other checks too."""
    lines = [render(checked.findings)]
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


def _muted(one: CheckResult) -> Iterator[str]:
    if not one.muted:
        yield f"{one.code} {one.title}: found nothing ({one.reason})"
    for each in one.muted:
        yield f"{each.code} {each.severity:<8} {each.subject}: {each.message} ({one.reason})"


def explain(checks: Iterable[Check[Project]]) -> str:
    """Return for each check what it finds, why that matters, and an example of a finding."""
    return "\n\n".join(
        f"{check.code}: {check.title} ({check.severity})\n\n{check.explanation}\n\n"
        f"Example: {check.example}"
        for check in checks
    )
