"""R: did somebody approve what the evaluation measures?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.findings import NotApplicable
from crivo.core.params import read_yaml
from crivo.repository.unreadable import Unreadable

# Who approved which version of the evaluation, oldest first.
APPROVALS = "docs/evaluation-approved.yaml"
REPORT = "metrics/evaluation/report.md"


@check(
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
    """
    definition = _facts(project).get("definition")
    if definition is None:
        raise NotApplicable("nothing is evaluated yet")
    entries = _approvals(project)
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


def _approvals(project: Project) -> list[dict[str, Any]]:
    path = project.root / APPROVALS
    entries = (_read(read_yaml, path) if path.is_file() else None) or []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Unreadable(APPROVALS, "expected a list of entries: `- definition: …`.")
    return entries


def _facts(project: Project) -> Mapping[str, Any]:
    """Return what was evaluated; nothing before `evaluate` has run."""
    path = artifacts.EVALUATION / "evaluation.json"
    if not (project.root / path).exists():
        return {}
    values: Mapping[str, Any] = _read(artifacts.read_json, project.root / path)
    return values


def _read(reader: Callable[[Path], Any], path: Path) -> Any:
    try:
        return reader(path)
    except CrivoError as error:
        raise Unreadable(path.name, str(error)) from None
