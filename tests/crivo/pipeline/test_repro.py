"""`dvc repro` runs what changed and nothing else, or refuses, and gives the same bytes again."""

import json
import shutil
from pathlib import Path

import pytest

from tests.crivo.pipeline.project import Project
from tests.crivo.runtime.test_start import LIBRARIES, PYTHON

STAGES = ("prepare", "featurize", "train", "evaluate")
# The project's folder, and what the shell sets.
ENVIRONMENTS = {
    "plain": {"OMP_NUM_THREADS": "1", "LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "0"},
    "with blanks": {"OMP_NUM_THREADS": "2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"},
    "Übung данные": {"OMP_NUM_THREADS": "2", "LANG": "de_DE.UTF-8", "PYTHONHASHSEED": "7"},
    "数据 ένα": {"OMP_NUM_THREADS": "1"} | LIBRARIES | PYTHON,
}


def ran(printed: str) -> list[str]:
    """Return the stages that DVC says it ran."""
    return [stage for stage in STAGES if f"Running stage '{stage}'" in printed]


def test_what_changed_runs_and_nothing_else(project: Project) -> None:
    """No stage uses the code of a model that is not chosen, its settings, a limit or a page."""
    project.replace("params.yaml", "\nlimits:\n", "\nlimits:\n  brier_high:\n    at_most: 0.2\n")
    project.replace("params.yaml", "trees: 5", "trees: 6")
    project.replace("src/blocks/models/forest.py", "A random forest", "Another forest")
    project.replace("README.md", "# crivo", "# Crivo")
    assert ran(project.dvc("repro")) == []
    printed = project.dvc("exp", "run", "--name", "here", "-S", "evaluate.split=test")
    assert ran(printed) == ["evaluate"]
    assert "split: test" in project.read("params.yaml")
    project.replace("params.yaml", "history: true", "history: false")
    assert ran(project.dvc("repro")) == ["featurize", "train", "evaluate"]


def test_what_can_give_no_believable_result_stops_before_any_work(project: Project) -> None:
    project.replace("params.yaml", "quarantine_limit: 0.05", "quarantine_limit: 0.001")
    printed = project.dvc("repro", fails=True)
    assert "prepare.quarantine_limit" in printed
    assert "cancelled" in printed
    project.git("checkout", "--quiet", "params.yaml")

    lock = project.folder / "requirements.txt"
    lock.write_text(lock.read_text().replace("pandas==", "pandas==0.0."))
    assert "pandas" in project.dvc("repro", fails=True)
    project.dvc("checkout")  # DVC removes the outputs of a stage before it runs
    project.dvc("repro", "--single-item", "evaluate", CRIVO_ENVIRONMENT="warn")
    about = json.loads(project.read("metrics/evaluation/evaluation.json"))
    assert about["environment"] == "differs"
    project.git("checkout", "--quiet", ".")

    raw = project.folder / "data/raw/flights/airlines.csv"
    raw.chmod(0o644)
    raw.write_text(raw.read_text() + "XX,Nobody\n")
    printed = project.dvc("repro", fails=True)
    assert "prepare: data/raw/flights differs from what git records" in printed
    assert "`dvc data status --granular`" in printed


@pytest.mark.parametrize("folder", ENVIRONMENTS)
def test_every_stage_gives_the_same_bytes_in_any_environment(
    reproduced: Project, tmp_path: Path, folder: str
) -> None:
    """The stages are run as DVC runs them; DVC itself is asked in an ordinary shell."""
    project = Project(shutil.copytree(reproduced.folder, tmp_path / folder, symlinks=True))
    home = tmp_path / "home"
    (home / ".config/matplotlib").mkdir(parents=True)
    (home / ".config/matplotlib/matplotlibrc").write_text("lines.linewidth: 7\n")
    shell = ENVIRONMENTS[folder] | {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    for stage in STAGES:
        project.run("python", f"src/{stage}.py", **shell)
    assert project.dvc("status") == "Data and pipelines are up to date.\n"
    assert project.status() == ""
