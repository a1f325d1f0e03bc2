"""A project with an evaluation, from which a search begins; a copy for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.search.fake import start


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project with an evaluation; don't change it."""
    return start(Project(tmp_path_factory.mktemp("search") / "project"))


@pytest.fixture
def another(begun: Project, tmp_path: Path) -> Callable[[], Project]:
    """Give a function that makes copies of the project."""
    numbers = iter(range(100))

    def copy() -> Project:
        place = tmp_path / f"project{next(numbers)}"
        shutil.copytree(begun.folder, place, symlinks=True)
        return Project(place)

    return copy


@pytest.fixture
def project(another: Callable[[], Project]) -> Project:
    return another()


@pytest.fixture(scope="module")
def tpe_at_once() -> Iterator[None]:
    """Let TPE learn from results from the third trial on, not from the eleventh."""
    from optuna import samplers

    sampler = partial(samplers.TPESampler, n_startup_trials=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samplers, "TPESampler", sampler)
        yield
