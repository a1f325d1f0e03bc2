"""`crivo upgrade`, from the question to the last sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.project.upgrade.journal import (
    Plan,
    put_in_place,
    require_clean,
    unfinished,
    write_plan,
)
from crivo.project.upgrade.plan import Proposal, pinned_wheel, propose
from crivo.project.upgrade.release import read_wheel
from crivo.project.wheel import running_wheel

SHOWN = 3
Say = Callable[[str], object]


def upgrade(project: Path, wheel: Path | None, say: Say, *, dry_run: bool = False) -> list[str]:
    """Put a newer crivo into a project; return the files in which edits contradict each other.

    Without a wheel, the crivo that runs is put in. An upgrade that was stopped is finished.
    CrivoError, and nothing has changed: there are uncommitted changes, or no such wheel.
    """
    if not (project / "dvc.yaml").is_file() or not (project / "params.yaml").is_file():
        raise CrivoError("There is no dvc.yaml and params.yaml here; run this in the project.")
    plan = _stopped(project, wheel, say)
    if plan is None:
        proposal = _proposal(project, wheel)
        say(described(proposal))
        if dry_run:
            return []
        plan = write_plan(
            project, proposal.new, proposal.contents, proposal.kept, proposal.conflicts
        )
    put_in_place(project, plan)
    return plan.conflicts


def described(proposal: Proposal) -> str:
    """Say what an upgrade does: stage by stage, and file by file."""
    lines = [f"{proposal.old.name} -> {proposal.new.name}", "Results:"]
    for stage, reasons in proposal.reasons.items():
        lines.append(f"  {stage}: {_fate(reasons, proposal.after[stage])}")
    lines.append("Files:")
    for one in sorted(proposal.changes, key=lambda one: (one.outcome, one.path)):
        lines.append(f"  {one.outcome:9} {one.path}{f': {one.note}' if one.note else ''}")
    if proposal.missing:
        lines.append("Code that doesn't fit the new crivo; change it before you run it:")
        lines += [f"  {one}" for one in proposal.missing]
    return "\n".join(lines)


def _fate(reasons: list[str], makers: list[str]) -> str:
    if reasons:
        more = f" and {len(reasons) - SHOWN} more" if reasons[SHOWN:] else ""
        return f"made again ({', '.join(reasons[:SHOWN])}{more})"
    return f"kept, if {' and '.join(makers)} makes the same as before" if makers else "kept"


def _proposal(project: Path, wheel: Path | None) -> Proposal:
    old = pinned_wheel(project)
    require_clean(project, wheel)
    new = read_wheel(wheel) if wheel else running_wheel()
    if new.sha256 == old.sha256:
        given = "" if wheel else "; give the file of a newer one"
        raise CrivoError(f"The project has this crivo already ({old.name}){given}.")
    return propose(project, old, new)


def _stopped(project: Path, wheel: Path | None, say: Say) -> Plan | None:
    """Return the upgrade that was stopped, if this one is the same."""
    plan = unfinished(project)
    if plan is None:
        return None
    if wheel is not None and read_wheel(wheel).sha256 != plan.sha256:
        raise CrivoError(
            f"An upgrade to {plan.wheel} was stopped; finish it with `crivo upgrade`, or undo it "
            "with `git checkout . && git clean -fd`."
        )
    say(f"An upgrade to {plan.wheel} was stopped; it is finished now.")
    return plan
