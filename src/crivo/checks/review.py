"""Runs the checks on a project, and says what each found and which are muted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

# These modules enter their checks in the list.
from crivo.checks import quality, stages, structure  # noqa: F401
from crivo.checks.project import CHECKS, Project
from crivo.comparison.limits import CheckedLimit, limit_lines
from crivo.core.errors import CrivoError
from crivo.core.findings import Check, Finding, NotApplicable
from crivo.core.params import ChecksSettings
from crivo.core.results import result
from crivo.core.wording import counted
from crivo.evaluation.result_checks import CODE
from crivo.repository.pipeline import Unreadable
from crivo.repository.progress import each

UNREADABLE = "P001"
# A release may have removed it.
NO_CHECK = "there is no such check that can be muted; remove this line, or correct the code."
OWN_LETTER, OWN_TITLE = "X", "Your own checks"

# What `only` takes beside codes: the first letters of a group's codes, and what these are about.
GROUPS = {
    "structure": {
        "P": "The pipeline",
        "S": "Settings",
        "D": "Dependencies",
        "B": "Blocks",
        "G": "What git and DVC keep",
        "N": "Notebooks",
        "E": "The environment",
    },
    "data": {
        "L": "Leakage, in the prepared rows",
        "T": "The splits",
        "R": "Results",
        OWN_LETTER: OWN_TITLE,
    },
}

State = Literal["found", "passed", "not applicable", "muted"]


@result
class CheckResult:
    """A check and its result."""

    code: str
    """The check's code."""
    title: str
    """What the check looks for."""
    state: State
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
    warnings: tuple[str, ...] = ()
    """What the evaluation warns of; empty if the checks of results weren't asked for."""

    @property
    def failed(self) -> bool:
        """Whether there is an error, or a limit doesn't hold."""
        wrong = any(finding.severity == "error" for finding in self.findings)
        return wrong or any(one.state != "holds" for one in self.limits)


def review(root: Path, only: Sequence[str] | None = None) -> Checked:
    """Return what became of each check, in the order of their codes.

    `only`: codes, their first letters or a group's name, to leave out all other checks. Where a
    check can't be done because a file is unreadable, that is a finding, whatever `only` says, and
    so is a muted check that there isn't.
    """
    project = Project(root)
    muted, starts = _muted(project), _starts(only)
    unknown = muted.keys() - (CHECKS.keys() - {UNREADABLE}) - {*filter(CODE.fullmatch, muted)}
    own: list[Check[Project]] = []
    warnings: tuple[str, ...] = ()
    with suppress(NotApplicable, Unreadable):  # the other checks of results say so
        if "R" in starts:
            warnings = tuple(project.evaluation.get("warnings", ()))
        own += stages.own_checks(project, OWN_TITLE)
    findings = [Finding("S001", "note", f"checks.muted.{one}", NO_CHECK) for one in sorted(unknown)]
    results: list[CheckResult] = []
    wanted = [*chosen(only), *(one for one in own if one.code.startswith(starts))]
    for check in each(wanted, "Checking"):
        found: tuple[Finding, ...] = ()
        state: State = "not applicable"
        try:
            found = tuple(check.findings(project))
        except Unreadable as error:
            severity, reason = CHECKS[UNREADABLE].severity, f"{error.subject} can't be read"
            findings.append(Finding(UNREADABLE, severity, error.subject, error.message))
        except NotApplicable as why:
            reason = str(why)
        except CrivoError as error:
            reason = str(error)
            if check.code[0] != "R":  # of a result, there may be none
                severity = CHECKS[UNREADABLE].severity
                findings.append(Finding(UNREADABLE, severity, "the project", reason))
        else:
            reason = "" if check.code in unknown else muted.get(check.code, "")
            state = "muted" if reason else "found" if found else "passed"
        hidden = found if state == "muted" else ()
        results.append(CheckResult(check.code, check.title, state, reason, hidden))
        findings += found if state == "found" else ()
    return Checked(tuple(dict.fromkeys(findings)), tuple(results), warnings=warnings)


def chosen(only: Sequence[str] | None = None) -> list[Check[Project]]:
    """Return the checks whose codes start with one of these; CrivoError for one that none has."""
    for one in only or ():
        starts = _starts([one])
        own = OWN_LETTER in starts or CODE.fullmatch(starts[0])
        if not own and not any(code.startswith(starts) for code in CHECKS):
            known = ", ".join([*GROUPS, *sorted(CHECKS)])
            raise CrivoError(
                f"There is no check {one!r}; there are: {known}. `crivo check --only limits`, "
                "without another `--only`, checks the limits."
            )
    return [one for code, one in sorted(CHECKS.items()) if code.startswith(_starts(only))]


def _starts(only: Sequence[str] | None) -> tuple[str, ...]:
    """Return what the codes of the wanted checks start with."""
    return tuple(start for one in only or GROUPS for start in GROUPS.get(one, (one.upper(),)))


def _muted(project: Project) -> Mapping[str, str]:
    """Return the reasons of muted checks by their codes."""
    try:
        muted = ChecksSettings.model_validate(project.settings.get("checks") or {}).muted
    except (Unreadable, ValidationError):
        return {}  # a check reports it
    return {code: reason.strip() for code, reason in muted.items()}


# What a check that is shown from a stage's record waits for.
AGAIN = "run `dvc repro`"


def checked_text(checked: Checked, *, everything: bool = False) -> str:
    """Return findings, limits, then what muted checks found; `everything`: the other checks too."""
    counts = Counter(finding.severity for finding in checked.findings)
    total = ", ".join(counted(number, name) for name, number in counts.items())
    end = f"{total}. `crivo check --explain CODE` explains a code."
    lines = [*map(_line, checked.findings), "", end]
    if not checked.findings:
        lines = ["Nothing found."]
    if checked.warnings:
        warned = counted(len(checked.warnings), "warning")
        lines += [
            "",
            f"The evaluation has {warned}; `crivo report --open` shows what to allow for.",
        ]
    unmade = Counter(one.reason for one in checked.checks if one.reason.endswith(AGAIN))
    for reason, number in unmade.items():
        lines += ["", f"{counted(number, 'check')} not run: {reason}."]
    if checked.limits:
        lines += ["", "Limits:", *limit_lines(checked.limits)]
    by_state: dict[State, list[CheckResult]] = {}
    for one in checked.checks:
        by_state.setdefault(one.state, []).append(one)
    if muted := by_state.get("muted"):
        lines += ["", "Muted in params.yaml:"]
        for one in muted:
            found = [*map(_line, one.muted)] or [f"{one.code} {one.title}: found nothing"]
            lines += [f"{line} ({one.reason})" for line in found]
    if everything:
        lines += ["", "Passed (the check found no such fault):"]
        lines += [f"{one.code} {one.title}" for one in by_state.get("passed", ())]
        rest = by_state.get("not applicable", ())
        lines += ["", "Not applicable:"]
        lines += [f"{one.code} {one.title}: {one.reason}" for one in rest]
    return "\n".join(lines)


def _line(one: Finding) -> str:
    return f"{one.code} {one.severity:<8} {one.subject}: {one.message}"


def explain(checks: Iterable[Check[Project]]) -> str:
    """Return for each check what it finds, why that matters, and an example of a finding."""
    return "\n\n".join(
        f"{check.code}: {check.title} ({check.severity})\n\n{check.explanation}\n\n"
        f"Example: {check.example}"
        for check in checks
    )
