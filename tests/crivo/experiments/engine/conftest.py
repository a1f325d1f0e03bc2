"""A project whose stages have run, and what an engine makes of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from crivo.experiments.engine import Engine, local_engine
from crivo.experiments.history import History, read_history
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.toy import made_toy
from tests.crivo.experiments.untouched import state_of

# Seconds for a trial on a busy machine.
PATIENCE = 240
RATE = "models.boosting.learning_rate"
RATES = {f"rate-{rate}": [f"{RATE}=0.{rate}"] for rate in range(1, 7)}
Open = Callable[[History], AbstractContextManager[Engine]]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project whose stages have run; don't change it."""
    return made_toy(tmp_path_factory)


@pytest.fixture
def toy(made: Project, tmp_path: Path) -> Project:
    shutil.copytree(made.folder, tmp_path / "toy")
    return Project(tmp_path / "toy")


def trees(
    project: Project, engine: AbstractContextManager[Engine], trials: Mapping[str, list[str]]
) -> dict[str, str]:
    """Return the tree of each experiment that an engine makes; the workspace stays as it is."""
    before = state_of(project.folder)
    with engine as place:
        futures = {name: place.submit(name, changes, name) for name, changes in trials.items()}
        refs = {name: future.result(PATIENCE) for name, future in futures.items()}
    assert state_of(project.folder) == before
    return {name: project.git("rev-parse", f"{ref}^{{tree}}") for name, ref in refs.items()}


@pytest.fixture(scope="session")
def local_trees(made: Project, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Give the trees that this machine's engine makes."""
    folder = tmp_path_factory.mktemp("local") / "toy"
    shutil.copytree(made.folder, folder)
    return trees(Project(folder), local_engine(read_history(folder), 1), RATES)
