"""L, T and R: the checks that `featurize` and `evaluate` make for the report.

Those of rows are made again only if what `featurize` found is out of date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from crivo.checks.project import Project
from crivo.checks.registry import CHECKS, Check, Found
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.findings import NotApplicable
from crivo.evaluation.result_checks import RESULT_CHECKS, Results
from crivo.featurization.row_checks import ROW_CHECKS, SplitRows
from crivo.repository.unreadable import Unreadable


def results_of(project: Project) -> Results:
    """Return what git and DVC hold of the results; parts are empty before they are there."""
    folder, settings = artifacts.EVALUATION, project.settings
    training = _read(project, artifacts.read_json, artifacts.TRAIN_METRICS / "metrics.json")
    return Results(
        predictions=_read(project, artifacts.read_table, folder / "predictions.parquet"),
        intervals=_read(project, artifacts.read_csv, folder / "intervals.csv"),
        metrics=_read(project, artifacts.read_json, folder / "metrics.json") or {},
        training=training or {},
        is_baseline=settings.get("model") == settings.get("baseline"),
    )


def _read(project: Project, reader: Callable[[Path], Any], path: Path) -> Any:
    if not (project.root / path).exists():
        return None
    try:
        return reader(project.root / path)
    except CrivoError as error:
        raise Unreadable(path.as_posix(), str(error)) from None


def _of_rows(of_rows: Check[SplitRows]) -> Check[Project]:
    again: Check[Project] = of_rows.within(lambda project: project.prepared)

    @wraps(of_rows.search)
    def search(project: Project) -> Iterator[Found]:
        recorded = project.recorded_findings
        if recorded is None:
            yield from again.search(project)
        elif reason := recorded.inapplicable.get(of_rows.code):
            raise NotApplicable(reason)
        else:
            yield from recorded.findings.get(of_rows.code, ())

    return replace(again, search=search)


for of_rows in ROW_CHECKS.values():
    CHECKS.enter(_of_rows(of_rows))
for of_results in RESULT_CHECKS.values():
    CHECKS.enter(of_results.within(results_of))
