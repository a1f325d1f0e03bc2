"""One reproduced project for all pipeline tests, and a fresh copy of it for each."""

import shutil
from pathlib import Path

import pytest

from tests.crivo.pipeline.project import Project, small_flights

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.pipeline)


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project whose pipeline has run and is committed; don't change it."""
    project = small_flights(tmp_path_factory.mktemp("flights"))
    project.dvc("repro")
    project.commit("Run the pipeline")
    return project


@pytest.fixture
def project(reproduced: Project, tmp_path: Path) -> Project:
    """Give a copy of the reproduced project to do anything with."""
    folder = tmp_path / "project"
    shutil.copytree(reproduced.folder, folder, symlinks=True)
    return Project(folder)
