"""Runs the checks on a project: what each found, and which are muted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from crivo.checks.project import CHECKS, Project
from crivo.comparison.limits import CheckedLimit
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.findings import Check, Finding, Found, NotApplicable
from crivo.core.problems import did_you_mean
from crivo.core.results import result
from crivo.evaluation.own_checks import CODE
from crivo.repository.progress import each
from crivo.repository.unreadable import Unreadable

UNREADABLE = "P001"
OWN_LETTER, OWN_TITLE = "X", "Checks of the project's own"

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

    @property
    def failed(self) -> bool:
        """Whether there is an error, or a limit doesn't hold."""
        wrong = any(finding.severity == "error" for finding in self.findings)
        return wrong or any(one.state != "holds" for one in self.limits)


def review(root: Path, only: Sequence[str] | None = None) -> Checked:
    """Return what became of each check, in the order of their codes.

    `only`: codes, their first letters or a group's name, to leave out all other checks. Where a
    check can't be done because a file is unreadable, that is a finding, whatever `only` says.
    CrivoError: what is muted isn't known.
    """
    project = Project(root)
    muted, starts = _muted(project), _starts(only)
    own = [one for one in _own(project) if one.code.startswith(starts)]
    findings: list[Finding] = []
    results: list[CheckResult] = []
    for check in each([*chosen(only), *own], "Checking"):
        reason = muted.get(check.code, "")
        try:
            found = tuple(check.applied(project))
        except NotApplicable as why:
            results.append(CheckResult(check.code, check.title, "not applicable", str(why), ()))
        except Unreadable as error:
            severity, why_not = CHECKS[UNREADABLE].severity, f"{error.subject} can't be read"
            findings.append(Finding(UNREADABLE, severity, error.subject, error.message))
            results.append(CheckResult(check.code, check.title, "not applicable", why_not, ()))
        else:
            state: State = "muted" if reason else "found" if found else "passed"
            hidden = found if reason else ()
            results.append(CheckResult(check.code, check.title, state, reason, hidden))
            findings += () if reason else found
    return Checked(tuple(dict.fromkeys(findings)), tuple(results))


def chosen(only: Sequence[str] | None = None) -> list[Check[Project]]:
    """Return the checks whose codes start with one of these; CrivoError for one that none has."""
    for start in _starts(only):
        own = start == OWN_LETTER or CODE.fullmatch(start)
        if not own and not any(code.startswith(start) for code in CHECKS):
            known = ", ".join([*GROUPS, *sorted(CHECKS)])
            raise CrivoError(f"There is no check {start!r}; there are: {known}.")
    return [one for code, one in sorted(CHECKS.items()) if code.startswith(_starts(only))]


def _starts(only: Sequence[str] | None) -> tuple[str, ...]:
    """Return what the codes of the wanted checks start with."""
    return tuple(start for one in only or GROUPS for start in GROUPS.get(one, (one.upper(),)))


def _own(project: Project) -> Iterator[Check[Project]]:
    """Give the project's own checks with what they found when `evaluate` made them."""
    path = project.root / artifacts.EVALUATION / "evaluation.json"
    about = artifacts.read_json(path) if path.is_file() else {}
    for code, severity, *found in about.get("own_findings", ()):
        yield Check(code, OWN_TITLE, severity, "", partial(_recorded, Found(*found)))


def _recorded(found: Found, _: Project) -> Iterator[Found]:
    yield found


def _muted(project: Project) -> Mapping[str, str]:
    """Return the reasons of muted checks by their codes; CrivoError for what can't be muted."""
    try:
        section = project.settings.get("checks")
    except Unreadable:
        return {}  # a check reports it
    muted = section.get("muted") if isinstance(section, Mapping) else section
    if muted is None:
        return {}
    if not isinstance(muted, Mapping):
        raise CrivoError("checks.muted in params.yaml must be lines of `CODE: reason`.")
    for code, reason in muted.items():
        if (code not in CHECKS and not CODE.fullmatch(str(code))) or code == UNREADABLE:
            raise CrivoError(
                f"checks.muted.{code}: there is no check {code!r} that can be muted"
                f"{did_you_mean(str(code), list(CHECKS))}. `crivo check --all` lists the checks."
            )
        if not (isinstance(reason, str) and reason.strip()):
            raise CrivoError(
                f"checks.muted.{code}: the reason is missing; write why what it finds isn't a "
                "mistake here."
            )
    return {str(code): str(reason).strip() for code, reason in muted.items()}
