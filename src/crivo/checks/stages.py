"""L, T and R: what stages found in the rows and the results, and whether somebody approved.

`featurize` leaves a table of what it found, which is shown. The checks of results take no time,
so they look at the files that `evaluate` left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from crivo.checks.project import CHECKS, Project
from crivo.core import artifacts
from crivo.core.findings import NOT_APPLICABLE, PASSED, Check, Found, NotApplicable
from crivo.core.params import read_yaml
from crivo.core.tasks import TASKS
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.result_checks import RESULT_CHECKS, Results
from crivo.featurization.row_checks import ROW_CHECKS
from crivo.repository.pipeline import Unreadable

# Who approved which version of the evaluation, oldest first.
APPROVALS = "docs/evaluation-approved.yaml"
REPORT = "metrics/evaluation/report.md"


def results_of(project: Project) -> Results:
    """Return what git and DVC hold of the results; parts are empty before they are there."""
    folder, settings = artifacts.EVALUATION, project.settings
    training = project.part(artifacts.read_json, artifacts.TRAIN_METRICS / "metrics.json")
    return Results(
        predictions=project.part(artifacts.read_table, folder / "predictions.parquet"),
        intervals=project.part(artifacts.read_csv, folder / "intervals.csv"),
        metrics=project.part(artifacts.read_json, folder / "metrics.json") or {},
        training=training or {},
        is_baseline=settings.get("model") == settings.get("baseline"),
        learning=project.part(artifacts.read_csv, folder / "plots/learning.csv"),
    )


def _found_before(check: Check[Any]) -> Check[Project]:
    """Return a check that shows what the stage found when it made this one."""

    @wraps(check.search)
    def search(project: Project) -> Iterator[Found]:
        table = project.row_findings
        for row in table[table["code"] == check.code].itertuples():
            if row.severity == NOT_APPLICABLE:
                raise NotApplicable(str(row.message))
            if row.severity != PASSED:
                yield Found(str(row.subject), str(row.message))

    return replace(check, search=search)


for of_rows in ROW_CHECKS.values():
    CHECKS.enter(_found_before(of_rows))
for of_results in RESULT_CHECKS.values():
    CHECKS.enter(of_results.within(results_of))


@CHECKS.check(
    "R004",
    "Nobody has approved the evaluation",
    severity="note",
    example=(
        "docs/evaluation-approved.yaml: the definition a90929664928 is not approved; check the "
        "metrics in metrics/evaluation/report.md, then add `- definition: a90929664928` with `by`, "
        "`on` and `why` to this file (create it if it doesn't exist), or undo the change of the "
        "metrics."
    ),
)
def approved(project: Project) -> Iterator[Found]:
    """People who act on a result rely on its metrics. `docs/evaluation-approved.yaml` records who
    approved which version of the evaluation. A fingerprint of the metrics and their settings
    identifies each version. The last entry must be for the version in use. The check applies if the
    file has an entry or the team has chosen its own metrics.
    """
    about = project.part(artifacts.read_json, artifacts.EVALUATION / "evaluation.json") or {}
    definition = about.get("definition")
    if definition is None:
        raise NotApplicable("nothing is evaluated yet")
    entries = _approvals(project)
    if not entries and not _own_metrics(project):
        raise NotApplicable(
            f"crivo chose the metrics, and nobody has approved others in {APPROVALS}"
        )
    if not entries or entries[-1].get("definition") != definition:
        earlier = any(entry.get("definition") == definition for entry in entries)
        state = "was approved, but another one later" if earlier else "is not approved"
        yield Found(
            APPROVALS,
            f"the definition {definition} {state}; check the metrics in {REPORT}, then add `- "
            f"definition: {definition}` with `by`, `on` and `why` to this file (create it if it "
            "doesn't exist), or undo the change to the metrics.",
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
