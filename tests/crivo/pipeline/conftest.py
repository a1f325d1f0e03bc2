"""One reproduced project for all pipeline tests, and a fresh copy of it for each."""

import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from tests.crivo.pipeline.project import Project, small_flights

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.pipeline)
            # Whichever comes first makes the project, or waits for it.
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Project:
    """Give a project whose pipeline has run and is committed; don't change it.

    It is made once for all workers, and each has a copy.
    """
    folder = tmp_path_factory.mktemp("flights") / "project"
    if not hasattr(request.config, "workerinput"):
        return reproduced_flights(folder)
    common = tmp_path_factory.getbasetemp().parent / "flights"
    with FileLock(f"{common}.lock"):
        if not common.exists():
            made = reproduced_flights(folder.with_name("made"))
            made.folder.rename(common)
    shutil.copytree(common, folder, symlinks=True)
    return Project(folder)


def reproduced_flights(folder: Path) -> Project:
    """Return two weeks of flights on which the pipeline has run."""
    folder.mkdir()
    project = small_flights(folder)
    project.dvc("repro")
    project.commit("Run the pipeline")
    return project


@pytest.fixture
def project(reproduced: Project, tmp_path: Path) -> Project:
    """Give a copy of the reproduced project to do anything with."""
    folder = tmp_path / "project"
    shutil.copytree(reproduced.folder, folder, symlinks=True)
    return Project(folder)
