"""Small repositories with experiments."""

import pytest

from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import GOOD, MAIN, variant


@pytest.fixture
def tried(project: Project) -> Project:
    """Give a repository with main and one trial."""
    project.commit(MAIN)
    project.trial("slow", GOOD, message="Slower learning helps", author="Rui")
    return project


@pytest.fixture
def prunable(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Stand in a repository with main and four trials."""
    project.commit(MAIN)
    project.git("reset", "--quiet", "--hard")
    for number in range(1, 4):
        project.trial(f"trial-{number}", variant(number))
    project.trial("good", GOOD)
    monkeypatch.chdir(project.folder)
    return project
