"""One project for all tests of settings; each puts back what it changes."""

from pathlib import Path

import pytest

from tests.crivo.fuzz.commands import new_project


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project of which no stage has run."""
    return new_project(tmp_path_factory.mktemp("fuzz") / "project")
