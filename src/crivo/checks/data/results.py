"""R: the checks of a project's results, which `evaluate` makes too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from crivo.checks.project import Project
from crivo.checks.registry import CHECKS, Found
from crivo.checks.unreadable import Unreadable
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.evaluation.result_checks import RESULT_CHECKS, Results


def of_project(
    search: Callable[[Results], Iterator[Found]],
) -> Callable[[Project], Iterator[Found]]:
    """Return the check for the results of a project."""

    @wraps(search)
    def look(project: Project) -> Iterator[Found]:
        yield from search(results_of(project))

    return look


def results_of(project: Project) -> Results:
    """Return what git and DVC hold of the results; parts are empty before they are there."""
    folder, settings = artifacts.EVALUATION, project.settings
    return Results(
        predictions=_read(project, artifacts.read_table, folder / "predictions.parquet"),
        intervals=_read(project, artifacts.read_csv, folder / "intervals.csv"),
        metrics=_read(project, artifacts.read_json, folder / "metrics.json") or {},
        training=_read(project, artifacts.read_json, artifacts.TRAIN_METRICS / "metrics.json")
        or {},
        is_baseline=settings.get("model") == settings.get("baseline"),
    )


def _read(project: Project, reader: Callable[[Path], Any], path: Path) -> Any:
    if not (project.root / path).exists():
        return None
    try:
        return reader(project.root / path)
    except CrivoError as error:
        raise Unreadable(path.as_posix(), str(error)) from None


for one in RESULT_CHECKS.values():
    CHECKS.enter(replace(one, search=of_project(one.search)))
