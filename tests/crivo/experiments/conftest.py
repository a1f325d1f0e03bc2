"""A small repository for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import GOOD, MAIN, variant
from tests.crivo.experiments.workspaces import make


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Give an empty repository."""
    return Project(tmp_path / "project")


@pytest.fixture
def tried(project: Project) -> Project:
    """Give a repository with main and one trial."""
    project.commit(MAIN)
    project.trial("slow", GOOD, message="Slower learning helps", author="Rui")
    return project


@pytest.fixture
def prunable(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Stand in a repository with main and four trials."""
    project.identify()
    project.commit(MAIN)
    project.git("reset", "--quiet", "--hard")
    for number in range(1, 4):
        project.trial(f"trial-{number}", variant(number))
    project.trial("good", GOOD)
    monkeypatch.chdir(project.folder)
    return project


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a DVC project without a pipeline; don't change it."""
    return make(Project(tmp_path_factory.mktemp("made")))


@pytest.fixture
def mine(made: Project, tmp_path: Path) -> Project:
    """Give a copy of the project."""
    shutil.copytree(made.folder, tmp_path / "mine", symlinks=True)
    return Project(tmp_path / "mine")
