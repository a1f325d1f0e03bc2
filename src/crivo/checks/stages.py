"""Shows the checks of rows and results (L, T, R, X) that stages made and recorded; and R004.

R004: nobody has approved the evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from crivo.checks.project import CHECKS, Project
from crivo.core.findings import NOT_APPLICABLE, PASSED, Check, Found, NotApplicable
from crivo.core.parsing import read_yaml
from crivo.core.tasks import TASKS
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.result_checks import CODE, RESULT_CHECKS
from crivo.featurization.row_checks import ROW_CHECKS
from crivo.repository.pipeline import Unreadable

# What became of a check: its code, the severity or that there is nothing, a subject, a sentence.
Outcomes = Callable[[Project], list[tuple[str, str, str, str]]]

# Who approved which version of the evaluation, oldest first.
APPROVALS = "docs/evaluation-approved.yaml"
NOT_APPROVED = (
    "the definition {0} is not approved; check the metrics in metrics/evaluation/report.md, then "
    "add `- definition: {0}` with `by`, `on` and `why` to this file (create it if it doesn't "
    "exist), or undo the change to the metrics."
)


def _of_rows(project: Project) -> Any:
    return project.row_findings.iloc[:, :4].itertuples(index=False, name=None)


def _of_results(project: Project) -> Any:
    found = project.evaluation.get("findings")
    if found is None:
        raise NotApplicable("an earlier version of crivo evaluated the model; run `dvc repro`")
    return found


def _recorded(check: Check[Any], outcomes: Outcomes) -> Check[Project]:
    """Return a check that shows what the stage recorded of this one."""

    @wraps(check.search)
    def search(project: Project) -> Iterator[Found]:
        for code, severity, subject, message in outcomes(project):
            if code == check.code and severity == NOT_APPLICABLE:
                raise NotApplicable(message)
            if code == check.code and severity != PASSED:
                yield Found(subject, message)

    return replace(check, search=search)


for of_rows in ROW_CHECKS.values():
    CHECKS[of_rows.code] = _recorded(of_rows, _of_rows)
for of_results in RESULT_CHECKS.values():
    CHECKS[of_results.code] = _recorded(of_results, _of_results)


def own_checks(project: Project, title: str) -> Iterator[Check[Project]]:
    """Give the project's own checks of results, as `evaluate` recorded them."""
    found = {code: severity for code, severity, *_ in _of_results(project) if CODE.fullmatch(code)}
    for code, severity in found.items():
        yield _recorded(Check(code, title, severity, "", iter), _of_results)


@CHECKS.check(
    "R004",
    "Nobody has approved the evaluation",
    severity="note",
    example=f"{APPROVALS}: {NOT_APPROVED.format('a90929664928')}",
)
def approved(project: Project) -> Iterator[Found]:
    """People who act on a result rely on its metrics. In `docs/evaluation-approved.yaml`, the team
    records who approved which version of the evaluation. A version is identified by the fingerprint
    of the metrics and their settings. The last entry must be for the version in use, and say who
    approved it, when and why. The check applies if the file has an entry, or if the team has chosen
    its own metrics.
    """
    definition = project.evaluation.get("definition")
    project.as_evaluated("evaluator", "evaluators")
    entries = _approvals(project)
    if not entries and not _own_metrics(project):
        raise NotApplicable(
            f"crivo chose the metrics, and nobody has approved others in {APPROVALS}"
        )
    last = entries[-1] if entries else {}
    if last.get("definition") != definition or not all(map(last.get, ("by", "on", "why"))):
        yield Found(APPROVALS, NOT_APPROVED.format(definition))


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
