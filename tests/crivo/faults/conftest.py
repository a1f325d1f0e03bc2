"""A project of one quick stage with a bare git repository and a remote, copied for each fault."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crivo.faults.sound import change, result
from tests.crivo.pipeline.project import ROOT, Project
from tests.crivo.sharing.mini import CONFIG, make_mini

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.pipeline)


@pytest.fixture(scope="session")
def copy_to(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Project]:
    """Give what copies the project, whose pipeline has run, to a folder that isn't there yet."""
    made = make_mini(tmp_path_factory.mktemp("mini")).folder
    shutil.copy(ROOT / ".gitignore", made / ".git/info/exclude")
    Project(made).dvc("checkout")

    def copy_to(parent: Path) -> Project:
        shutil.copytree(made.parent, parent, symlinks=True)
        project = Project(parent / made.name)
        project.write(".dvc/config.local", CONFIG.format(store=parent / "store"))
        return project

    return copy_to


@pytest.fixture
def quick(copy_to: Callable[[Path], Project], tmp_path: Path) -> Project:
    """Give a copy of the project with its bare repository and its remote."""
    return copy_to(tmp_path / "all")


@pytest.fixture(scope="session")
def expected(
    copy_to: Callable[[Path], Project], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, object]:
    """Give what `dvc repro` leaves after a change when nothing is in its way."""
    project = copy_to(tmp_path_factory.mktemp("undisturbed") / "all")
    change(project)
    project.dvc("repro")
    return result(project)
