"""A small repository for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crivo.experiments.repository import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Give an empty repository."""
    return Project(tmp_path / "project")
