"""What the tests of a project share: its settings, and a run of it on few of its own rows."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from crivo.core.params import read_yaml
from crivo.testing import sample_project

ROOT = Path(__file__).parents[2]

# Tests share the cores: small fits on several threads each take many times longer.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def params() -> Mapping[str, Any]:
    """Give the project's settings as they stand in params.yaml."""
    return read_yaml(ROOT / "params.yaml")


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the project whose pipeline has run on a few hundred of its rows."""
    return sample_project(ROOT, tmp_path_factory.mktemp("sample"))
