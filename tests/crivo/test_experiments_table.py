"""`make experiments` lists experiments by their names, those on test rows last."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crivo.experiments.repository import Project

ROOT = Path(__file__).parents[2]
PIPELINE = "metrics:\n- m.json\nparams:\n- params.yaml\n"
LONG = "boosting-learning_rate=0.05-max_leaf_nodes=63"


@pytest.fixture
def listed(tmp_path: Path) -> list[str]:
    """Give the lines of the table of a commit, a trial, and its look at the test rows."""
    project = Project(tmp_path / "project")
    both = {".dvc/config": "", ".dvcignore": "", "dvc.yaml": PIPELINE}

    def files(split: str, value: float) -> dict[str, str]:
        settings = f"model: boosting\nevaluate:\n  split: {split}\n"
        metrics = f'{{"roc_auc": {value}, "roc_auc_low": 0.68715, "roc_auc_high": 0.79441}}'
        return {**both, "params.yaml": settings, "m.json": metrics}

    project.commit(files("valid", 0.74))
    project.git("checkout", "--quiet", "--force", "main")
    project.trial(f"{LONG}-test", files("test", 0.80))
    project.trial(LONG, files("valid", 0.75))
    for name in ("Makefile", "tests/crivo/library.mk"):
        (project.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project.folder / name)
    command = ["make", "--no-print-directory", "-o", "install"]
    done = subprocess.run(
        [*command, f"BIN={Path(sys.executable).parent}", "experiments"],
        cwd=project.folder, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_results_on_test_rows_are_not_among_those_on_validation_rows(listed: list[str]) -> None:
    (head,) = (line for line in listed if "Experiment" in line)
    assert head.split()[-1] == "evaluate.split"
    names = {name: line.split()[-1] for line in listed for name in re.findall(r"\[(.+)\]", line)}
    assert names == {LONG: "valid", f"{LONG}-test": "test"}
    splits = [line.split()[-1] for line in listed if line.split()[-1:] in (["valid"], ["test"])]
    assert splits == ["valid", "valid", "valid", "test"]
