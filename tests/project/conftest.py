"""What the tests of a project share: its settings, and a run of it on few of its own rows."""

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from filelock import FileLock

import crivo
from crivo import Schema
from crivo.testing import Params, sample_project

ROOT = Path(__file__).parents[2]

# Tests share the cores: small fits on several threads each take many times longer.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def params() -> Params:
    """Give the project's settings as they stand in params.yaml."""
    return crivo.workspace(ROOT).params


@pytest.fixture(scope="session")
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the project whose pipeline has run on a few hundred of its rows.

    The workers of one run share it: the first that asks makes it.
    """
    run = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):  # a worker's folder lies in that of the run
        run = next(up.parent for up in (run, *run.parents) if up.name.startswith("popen-"))
    with FileLock(run / "sample.lock"):
        if not (run / "sample.made").exists():
            shutil.rmtree(run / "sample", ignore_errors=True)  # of one that failed
            sample_project(ROOT, run / "sample")
            (run / "sample.made").touch()
    return run / "sample"


@pytest.fixture(scope="session")
def schema(sample: Path) -> Schema:
    """Give the schema of the project's rows."""
    return crivo.workspace(sample).schema


@pytest.fixture
def rows(sample: Path) -> pd.DataFrame:
    """Give training rows of the project."""
    return crivo.workspace(sample).rows("train")


@pytest.fixture
def features(sample: Path) -> pd.DataFrame:
    """Give what the featurizer in use makes of the training rows."""
    return crivo.workspace(sample).features("train")
