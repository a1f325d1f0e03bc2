"""Projects whose model was trained by the real blocks, on a small made-up table."""

from pathlib import Path

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
