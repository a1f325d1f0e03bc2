"""Projects whose model was trained by the real blocks, on a small made-up table."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crivo.core.schema import Task
from tests.crivo.prediction.trained import train


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that gives a project with a trained model; one for each task."""
    made: dict[tuple[Task, str], Path] = {}

    def project(task: Task = "binary", model: str = "boosting") -> Path:
        if (task, model) not in made:
            made[task, model] = train(tmp_path_factory.mktemp("project"), task, model)
        # Its code runs here; a test that changed the path has put it back.
        if (code := str(made[task, model] / "src")) not in sys.path:
            sys.path.append(code)
        return made[task, model]

    return project
