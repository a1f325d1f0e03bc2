"""A refit before the test rows are opened: what it leaves alone, and what it shows."""

import json
from pathlib import Path

from tests.crivo.pipeline.project import Project

MADE = "metrics/evaluation"


def files_of(project: Project) -> dict[str, bytes]:
    folder = project.folder / MADE
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_refit_leaves_the_validation_rows_alone_and_is_shown_on_test_rows(
    project: Project,
) -> None:
    before = files_of(project)
    trial = (project.folder / "models/model.skops").read_bytes()
    project.replace("params.yaml", "refit: false", "refit: true")
    project.dvc("repro")
    assert files_of(project) == before
    assert [path.name for path in (project.folder / "models/refit").iterdir()] == ["fitted_on.json"]
    assert "fitted on training rows" in project.run("crivo", "export", "valid.zip")

    project.replace("params.yaml", "split: valid", "split: test")
    assert "Running stage 'train'" not in project.dvc("repro")
    assert (project.folder / "models/model.skops").read_bytes() == trial
    about = json.loads(project.read(f"{MADE}/evaluation.json"))
    assert about["fitted_on"] == "training and validation rows"
    shown = project.run("crivo", "export", "test.zip")
    assert "fitted on training and validation rows" in shown
    assert Path(project.folder, "test.zip").stat().st_size > 0
