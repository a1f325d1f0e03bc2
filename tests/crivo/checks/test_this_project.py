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


@pytest.fixture(scope="module")
def installed(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the same without the library beside the stages: it is installed, as the lock says."""
    folder = tmp_path_factory.mktemp("installed") / "project"
    shutil.copytree(copy, folder)
    shutil.rmtree(folder / "src/crivo")
    return folder


def write_pipeline(project: Path, without: tuple[str, str] | None = None) -> None:
    """Write a project's dvc.yaml less one dependency, and less the code that isn't there."""
    pipeline = YAML(typ="safe").load(ROOT / "dvc.yaml")
    for name, stage in pipeline["stages"].items():
        stage["deps"] = [
            dep
            for dep in stage["deps"]
            if (name, dep) != without
            and (not dep.startswith("src/crivo") or (project / "src/crivo").exists())
        ]
    YAML().dump(pipeline, project / "dvc.yaml")


@pytest.mark.parametrize(("stage", "dep"), code_dependencies())
def test_each_code_dependency_is_missed_when_it_is_gone(copy, stage, dep):
    write_pipeline(copy, without=(stage, dep))
    assert stage in [finding.subject for finding in checks.run(copy, only=["D001"])]


@pytest.mark.parametrize(
    ("stage", "dep"), [one for one in code_dependencies() if not one[1].startswith("src/crivo")]
)
def test_with_the_library_installed_too(installed, stage, dep):
    write_pipeline(installed, without=(stage, dep))
    assert stage in [finding.subject for finding in checks.run(installed, only=["D001"])]


@pytest.mark.parametrize("form", ["copy", "installed"])
def test_no_dependency_is_missed_or_idle_when_all_are_there(form, request):
    project = request.getfixturevalue(form)
    write_pipeline(project)
    assert checks.run(project, only=["D", "E002", "S", "B", "P"]) == []


def test_with_the_library_installed_its_files_are_no_dependencies(installed):
    shutil.copy(ROOT / "dvc.yaml", installed / "dvc.yaml")
    found = [(finding.code, finding.subject) for finding in checks.run(installed, only=["D"])]
    assert ("D002", "train") in found
