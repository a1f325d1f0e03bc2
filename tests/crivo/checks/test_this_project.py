"""The checks on this project itself, and that they notice each dependency it has."""

import shutil
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from crivo import checks

ROOT = Path(__file__).parents[3]


def code_dependencies() -> list[tuple[str, str]]:
    stages = YAML(typ="safe").load(ROOT / "dvc.yaml")["stages"]
    return [
        (name, dep) for name in stages for dep in stages[name]["deps"] if dep.startswith("src/")
    ]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of what the structural checks read."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("src", ".dvc/config", "dvc.yaml", "params.yaml", "requirements.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def test_this_project_has_no_error():
    findings = checks.run(ROOT, only=["structure"])
    errors = [finding for finding in findings if finding.severity == "error"]
    assert not errors, checks.render(errors)


@pytest.mark.parametrize(("stage", "dep"), code_dependencies())
def test_each_code_dependency_is_missed_when_it_is_gone(copy, stage, dep):
    pipeline = YAML(typ="safe").load(ROOT / "dvc.yaml")
    pipeline["stages"][stage]["deps"].remove(dep)
    YAML().dump(pipeline, copy / "dvc.yaml")
    found = [finding for finding in checks.run(copy, only=["D001"]) if finding.subject == stage]
    assert found


def test_no_dependency_is_missed_when_all_are_there(copy):
    shutil.copy(ROOT / "dvc.yaml", copy / "dvc.yaml")
    assert checks.run(copy, only=["D001"]) == []
