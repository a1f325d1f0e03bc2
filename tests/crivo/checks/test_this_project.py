"""The checks on this project itself, and that they notice each dependency it has."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from ruamel.yaml import YAML

from crivo import checks

ROOT = Path(__file__).parents[3]


def missing_at_once(*, library: bool) -> list[dict[str, str]]:
    """Return which dependencies to leave out together: the first of each stage, or the second."""
    stages = YAML(typ="safe").load(ROOT / "dvc.yaml")["stages"]
    code = {
        name: [
            dep
            for dep in stage["deps"]
            if dep.startswith("src/") and (library or not dep.startswith("src/crivo"))
        ]
        for name, stage in stages.items()
    }
    return [
        {name: deps[place] for name, deps in code.items() if place < len(deps)}
        for place in range(max(map(len, code.values())))
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


def write_pipeline(project: Path, without: Mapping[str, str] = MappingProxyType({})) -> None:
    """Write a project's dvc.yaml less one dependency a stage, and less code that isn't there."""
    pipeline = YAML(typ="safe").load(ROOT / "dvc.yaml")
    for name, stage in pipeline["stages"].items():
        stage["deps"] = [
            dep
            for dep in stage["deps"]
            if dep != without.get(name)
            and (not dep.startswith("src/crivo") or (project / "src/crivo").exists())
        ]
    YAML().dump(pipeline, project / "dvc.yaml")


def stages_at_fault(project: Path) -> set[str]:
    return {finding.subject for finding in checks.run(project, only=["D001"])}


@pytest.mark.parametrize("missing", missing_at_once(library=True), ids=str)
def test_each_code_dependency_is_missed_when_it_is_gone(copy, missing):
    write_pipeline(copy, without=missing)
    assert stages_at_fault(copy) == set(missing)


@pytest.mark.parametrize("missing", missing_at_once(library=False), ids=str)
def test_with_the_library_installed_too(installed, missing):
    write_pipeline(installed, without=missing)
    assert stages_at_fault(installed) == set(missing)


@pytest.mark.parametrize("form", ["copy", "installed"])
def test_no_dependency_is_missed_or_idle_when_all_are_there(form, request):
    project = request.getfixturevalue(form)
    write_pipeline(project)
    assert checks.run(project, only=["D", "E002", "S", "B", "P"]) == []


def test_with_the_library_installed_its_files_are_no_dependencies(installed):
    shutil.copy(ROOT / "dvc.yaml", installed / "dvc.yaml")
    found = [(finding.code, finding.subject) for finding in checks.run(installed, only=["D"])]
    assert ("D002", "train") in found
