"""Projects whose model was trained by the real blocks, on a small made-up table."""

import hashlib
import json
from pathlib import Path
from typing import Any

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
    artifacts.write_json(folder / artifacts.SCHEMA, schema.to_json())
    save_model(folder / artifacts.FEATURIZER, featurizer)
    save_model(folder / artifacts.MODEL, estimator)
    lock(folder)
    return folder


def lock(folder: Path, **others: Any) -> None:
    """Write the `dvc.lock` that names the model's files as they are, and other stages."""
    outs = [
        {"path": part.as_posix(), "md5": hashlib.md5((folder / part).read_bytes()).hexdigest()}
        for part in (artifacts.FEATURIZER, artifacts.MODEL)
    ]
    stages = others | {"train": {"cmd": "python src/train.py", "outs": outs}}
    (folder / "dvc.lock").write_text(json.dumps({"schema": "2.0", "stages": stages}))
