"""R: checks that somebody approved the definition of the evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crivo.checks.project import CHECKS, Project
from crivo.core import artifacts
from crivo.core.findings import Found, NotApplicable
from crivo.core.params import read_yaml
from crivo.core.tasks import TASKS
from crivo.evaluation.metrics import metrics_of
from crivo.repository.unreadable import Unreadable

# Who approved which version of the evaluation, oldest first.
APPROVALS = "docs/evaluation-approved.yaml"
REPORT = "metrics/evaluation/report.md"


@CHECKS.check(
    "R004",
    "An evaluation that nobody approved",
    severity="note",
    example="docs/evaluation-approved.yaml: the definition a90929664928 is not approved; check the "
    "metrics in metrics/evaluation/report.md, then add `- definition: a90929664928` with `by`, "
    "`on` and `why` to this file (make it if there is none), or undo the change of the metrics.",
)
def approved(project: Project) -> Iterator[Found]:
    """Whoever acts on a result relies on what was measured. `docs/evaluation-approved.yaml`
    records who approved which version of the evaluation. A version is identified by the
    fingerprint of its metrics and their settings. The last entry must be for the version in use.
    The check applies once the file has an entry, or when the team has chosen metrics of its own.
    """
    about = project.part(artifacts.read_json, artifacts.EVALUATION / "evaluation.json") or {}
    definition = about.get("definition")
    if definition is None:
        raise NotApplicable("nothing is evaluated yet")
    entries = _approvals(project)
    if not entries and not _own_metrics(project):
        raise NotApplicable(
            f"the metrics are those that crivo chooses, and nobody has approved any in {APPROVALS}"
        )
    if not entries or entries[-1].get("definition") != definition:
        earlier = any(entry.get("definition") == definition for entry in entries)
        state = "was approved, but another one later" if earlier else "is not approved"
        yield Found(
            APPROVALS,
            f"the definition {definition} {state}; check the metrics in {REPORT}, then add "
            f"`- definition: {definition}` with `by`, `on` and `why` to this file (make it if "
            "there is none), or undo the change of the metrics.",
        )
    for entry in entries:
        if missing := [name for name in ("by", "on", "why") if not entry.get(name)]:
            yield Found(
                APPROVALS,
                f"the entry of {entry.get('definition')} lacks {', '.join(missing)}; say who "
                "approved it, when, and for what reason.",
            )


def _own_metrics(project: Project) -> bool:
    """Whether what is measured is the team's own: an evaluator, a metric or a loss."""
    evaluator = project.settings.get("evaluator")
    settings = (project.settings.get("evaluators") or {}).get(evaluator) or {}
    chosen = {settings.get("primary"), *(settings.get("metrics") or ())} - {None}
    shipped = {
        name
        for task in TASKS
        for name, one in metrics_of(task).items()
        if one.compute.__module__.startswith("crivo.")
    }
    return evaluator != "standard" or not chosen <= shipped


def _approvals(project: Project) -> list[dict[str, Any]]:
    entries = project.part(read_yaml, Path(APPROVALS)) or []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Unreadable(APPROVALS, "expected a list of entries: `- definition: …`.")
    return entries
