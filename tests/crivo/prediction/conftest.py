"""Projects whose model was trained by the real blocks, on a small made-up table."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crivo.core import artifacts
from crivo.core.modelfile import save_model
from crivo.core.registry import make_block
from crivo.core.schema import Task
from crivo.testing import FakeDataset


def train(folder: Path, task: Task, model: str) -> Path:
    """Write what `prepare`, `featurize` and `train` leave for a predictor."""
    dataset = FakeDataset(task=task)
    rows = dataset.load(folder)
    schema = dataset.schema(rows)
    featurizer = make_block("featurizer", "tabular", {}).build(schema, 1)
    featurizer.fit(rows[list(schema.features)], rows["target"])
    inputs = featurizer.transform(rows[list(schema.features)])
    settings = {"max_iter": 10} if model == "boosting" else {}
    estimator = make_block("model", model, settings).build(task, 1).fit(inputs, rows["target"])
    artifacts.write_schema(schema, folder / artifacts.SCHEMA)
    save_model(folder / artifacts.FEATURIZER, featurizer)
    save_model(folder / artifacts.MODEL, estimator)
    return folder


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that gives a project with a trained model; one for each task."""
    made: dict[tuple[Task, str], Path] = {}

    def project(task: Task = "binary", model: str = "boosting") -> Path:
        if (task, model) not in made:
            made[task, model] = train(tmp_path_factory.mktemp("project"), task, model)
        return made[task, model]

    return project
