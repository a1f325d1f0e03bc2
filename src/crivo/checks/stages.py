"""L, T and R: what `featurize` found in the rows, and what `evaluate` found in the results.

`featurize` leaves a table of what it found, which is shown. The checks of results take no time,
so they look at the files that `evaluate` left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import wraps
from typing import Any

from crivo.checks.project import CHECKS, Project
from crivo.core import artifacts
from crivo.core.findings import NOT_APPLICABLE, PASSED, Check, Found, NotApplicable
from crivo.evaluation.result_checks import RESULT_CHECKS, Results
from crivo.featurization.row_checks import ROW_CHECKS


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
