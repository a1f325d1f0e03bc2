"""One reproduced project for all pipeline tests, made once for all workers, and copies of it."""

import shutil
from pathlib import Path

import pytest

from tests.crivo.made_once import made_once
from tests.crivo.pipeline.project import Project, small_flights


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project whose pipeline has run and is committed; don't change it."""
    made = made_once(tmp_path_factory, "flights", reproduced_flights)
    folder = tmp_path_factory.mktemp("flights") / "project"
    shutil.copytree(made / "project", folder, symlinks=True)
    return Project(folder)


def reproduced_flights(parent: Path) -> None:
    """Make a project with two weeks of flights on which the pipeline has run."""
    project = small_flights(parent / "project")
    project.dvc("repro")
    project.commit("Run the pipeline")


@pytest.fixture
def project(reproduced: Project, tmp_path: Path) -> Project:
    """Give a copy of the reproduced project to do anything with."""
    folder = tmp_path / "project"
    shutil.copytree(reproduced.folder, folder, symlinks=True)
    return Project(folder)
