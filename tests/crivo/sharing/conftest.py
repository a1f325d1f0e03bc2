"""A small DVC project, made once and copied for each test."""

import shutil
from pathlib import Path

import pytest

from tests.crivo.sharing.mini import Mini, make_mini


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    """Give the project; don't change it."""
    return make_mini(tmp_path_factory.mktemp("mini"))


@pytest.fixture
def mini(made: Mini, tmp_path: Path) -> Mini:
    """Give a copy of the project and its bare repository; the remote is empty.

    The remote stays in its place, because the experiments name it.
    """
    shutil.rmtree(made.store, ignore_errors=True)
    made.store.unlink(missing_ok=True)
    made.store.mkdir()
    shutil.copytree(made.folder.parent, tmp_path / "all", symlinks=True)
    return Mini(tmp_path / "all/project", made.store)
