"""A project of one quick stage with a bare git repository and a remote, copied for each fault."""

import shutil
from pathlib import Path

import pytest

from tests.crivo.faults.tiny import copy_of
from tests.crivo.pipeline.project import ROOT, Project
from tests.crivo.sharing.mini import make_mini

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.pipeline)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give the project, after its pipeline has run; don't change it."""
    project = Project(make_mini(tmp_path_factory.mktemp("mini")).folder)
    shutil.copy(ROOT / ".gitignore", project.folder / ".git/info/exclude")
    project.dvc("checkout")
    return project


@pytest.fixture
def quick(made: Project, tmp_path: Path) -> Project:
    """Give a copy of the project with its bare repository and its remote."""
    return copy_of(made, tmp_path / "all")
