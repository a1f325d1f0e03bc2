"""Runs the checks on a project: what each found, and which are muted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from crivo.checks.project import CHECKS, Project
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.findings import Check, Finding, NotApplicable
from crivo.core.problems import did_you_mean
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


@dataclass(frozen=True)
class Outcome:
    """What became of a check: its findings, and why it doesn't apply or is muted."""

    check: Check[Project]
    state: State
    findings: tuple[Finding, ...] = ()
    reason: str = ""


def run(root: Path, only: Sequence[str] | None = None) -> list[Finding]:
    """Return everything that is wrong with the project in a folder and isn't muted.

    In the order of the codes. `only`: codes, their first letters or a group's name, to leave out
    all other checks. Where a check can't be done because a file is unreadable, that is a finding,
    whatever `only` says.
    """
    return found(review(root, only))


def found(outcomes: Sequence[Outcome]) -> list[Finding]:
    """Return the findings that aren't muted, each once."""
    shown = (one for one in outcomes if one.state == "found")
    return [*dict.fromkeys(finding for one in shown for finding in one.findings)]


def review(root: Path, only: Sequence[str] | None = None) -> list[Outcome]:
    """Return what became of each check; CrivoError when what is muted isn't known."""
    project = Project(root)
    muted = _muted(project)
    outcomes: list[Outcome] = []
    for one in each(chosen(only), "Checking"):
        outcomes += _outcomes(one, project, muted)
    return outcomes + [one for one in _own(project, muted) if _wanted(one.check.code, only)]


def _own(project: Project, muted: Mapping[str, str]) -> Iterator[Outcome]:
    """Give what the project's own checks found when `evaluate` made them."""
    path = project.root / artifacts.EVALUATION / "evaluation.json"
    about = artifacts.read_json(path) if path.is_file() else {}
    for code, severity, subject, message in about.get("own_findings", ()):
        finding = Finding(code, severity, subject, message)
        own: Check[Project] = Check(code, OWN_TITLE, severity, "", lambda _: iter(()))
        reason = muted.get(code, "")
        yield Outcome(own, "muted" if reason else "found", (finding,), reason)


def _wanted(code: str, only: Sequence[str] | None) -> bool:
    starts = [start for one in only or GROUPS for start in GROUPS.get(one, (one.upper(),))]
    return code.startswith(tuple(starts))


def _outcomes(
    check: Check[Project], project: Project, muted: Mapping[str, str]
) -> Iterator[Outcome]:
    reason = muted.get(check.code, "")
    try:
        findings = tuple(check.applied(project))
    except NotApplicable as why:
        yield Outcome(check, "not applicable", reason=str(why))
    except Unreadable as error:
        unreadable = CHECKS[UNREADABLE]
        problem = Finding(UNREADABLE, unreadable.severity, error.subject, error.message)
        yield Outcome(unreadable, "found", (problem,))
        if check.code != UNREADABLE:
            yield Outcome(check, "not applicable", reason=f"{error.subject} can't be read")
    else:
        if reason:
            yield Outcome(check, "muted", findings, reason)
        else:
            yield Outcome(check, "found" if findings else "passed", findings)


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


def chosen(only: Sequence[str] | None = None) -> list[Check[Project]]:
    """Return the checks whose codes start with one of these; CrivoError for one that none has."""
    starts = [start for code in only or GROUPS for start in GROUPS.get(code, (code.upper(),))]
    for start in starts:
        own = start == OWN_LETTER or CODE.fullmatch(start)
        if not own and not any(code.startswith(start) for code in CHECKS):
            known = ", ".join([*GROUPS, *sorted(CHECKS)])
            raise CrivoError(f"There is no check {start!r}; there are: {known}.")
    return [one for code, one in sorted(CHECKS.items()) if code.startswith(tuple(starts))]
