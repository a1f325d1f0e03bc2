"""A small repository for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import GOOD, MAIN


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
