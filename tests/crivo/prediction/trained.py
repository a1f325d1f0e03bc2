"""Projects whose model was trained by the real blocks, on a small made-up table."""

import hashlib
from pathlib import Path

from crivo.core import artifacts
from crivo.core.registry import make_block
from crivo.core.schema import Task
from crivo.modelfile.canonical import save_model
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
    lock(folder)
    return folder


def lock(folder: Path) -> None:
    """Write the `dvc.lock` that names the model's files as they are."""
    outs = [
        f"    - path: {part}\n      md5: {hashlib.md5((folder / part).read_bytes()).hexdigest()}\n"
        for part in (artifacts.FEATURIZER.as_posix(), artifacts.MODEL.as_posix())
    ]
    stage = "stages:\n  train:\n    cmd: python src/train.py\n    outs:\n"
    (folder / "dvc.lock").write_text(f"schema: '2.0'\n{stage}{''.join(outs)}")
