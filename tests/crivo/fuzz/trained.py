"""A project whose stages have run, with the small models of the example's rows."""

from __future__ import annotations

from pathlib import Path

from crivo.testing import example_rows
from tests.crivo.fuzz.commands import crivo, new_project, pipeline, recorded_without_dvc

ROLES = ("--target", "target", "--id", "id", "--time", "date", "--group", "shop", "--yes")


def trained_project(folder: Path, task: str = "binary") -> Path:
    """Bring the example's rows into a project and run its pipeline."""
    project = new_project(folder / "project")
    file = folder / "example.csv"
    example_rows(task).to_csv(file, index=False)
    with recorded_without_dvc():
        assert crivo(project, "init", str(file), *ROLES).accepted
    outcome = pipeline(project)
    assert outcome.accepted, outcome
    return project
