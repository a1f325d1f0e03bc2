"""A DVC project with made-up settings, whose two stages take no time; see the fixture `toy`."""

import shutil
from pathlib import Path

import pytest

from tests.crivo.experiments.repository import Project
from tests.crivo.made_once import made_once
from tests.crivo.pipeline.project import Project as Workspace
from tests.crivo.settings import SETTINGS

DVC_YAML = """
stages:
  train:
    cmd: python src/train.py
    deps: [requirements.txt, src/train.py, data/raw/numbers]
    params: [seed, model, train, models.boosting]
    outs: [models/model.skops]
  evaluate:
    cmd: python src/evaluate.py
    deps: [requirements.txt, src/evaluate.py, models/model.skops]
    params: [evaluate]
    outs:
    - metrics/evaluation/predictions.parquet
    - metrics/evaluation/evaluation.json: {cache: false}
    - metrics/evaluation/intervals.csv: {cache: false}
    plots: [metrics/evaluation/jackknife.csv: {cache: false}]
    metrics: [metrics/toy.json: {cache: false}]
metrics: [metrics/toy.json]
"""

# The "model" is the value of its metric: the rate, a little of the seed, by the rows' fraction.
TRAIN = """
import os, pathlib, yaml
settings = yaml.safe_load(open("params.yaml"))
assert open("data/raw/numbers/some.csv").read()
if settings["seed"] == 666:
    os.write(2, b"\\xff ")
    raise SystemExit("an unlucky seed")
value = settings["models"]["boosting"]["learning_rate"] + settings["seed"] / 10000
value *= settings["train"].get("fraction", 1)
# planted
pathlib.Path("models").mkdir(exist_ok=True)
open("models/model.skops", "w").write(str(value))
"""

EVALUATE = """
import json, pathlib, yaml
split = yaml.safe_load(open("params.yaml"))["evaluate"]["split"]
value = float(open("models/model.skops").read())
folder = pathlib.Path("metrics/evaluation")
folder.mkdir(parents=True, exist_ok=True)
steps = [.003, .003, .003, .003, -.003, -.003, -.003, -.003, 0]
deleted = [value + value * step for step in steps]
about = {"rows": split, "definition": "d", "split": split, "task": "binary",
         "primary": "roc_auc", "n_rows": 9}
(folder / "evaluation.json").write_text(json.dumps(about))
(folder / "intervals.csv").write_text(
    f"metric,of,value,se,low,high\\nroc_auc,model,{value},.01,{value - .02},{value + .02}\\n")
(folder / "jackknife.csv").write_text(
    "cluster,roc_auc\\n" + "".join(f"{i},{v}\\n" for i, v in enumerate(deleted)))
(folder / "predictions.parquet").write_text(f"{value} {split}")
pathlib.Path("metrics/toy.json").write_text(json.dumps({"roc_auc": value}))
"""


def make_toy(folder: Path) -> None:
    """Make the project, and run its stages."""
    project = Workspace(Project(folder).folder)
    project.dvc("init", "--quiet")
    files = {
        "requirements.txt": "",
        "dvc.yaml": DVC_YAML,
        "src/train.py": TRAIN,
        "src/evaluate.py": EVALUATE,
        "params.yaml": SETTINGS,
        "data/raw/numbers/some.csv": "1\n",
    }
    for name, text in files.items():
        project.write(name, text)
    project.dvc("add", "--quiet", "--no-commit", "data/raw/numbers")
    project.dvc("repro", "--quiet")
    project.commit("Start")


def made_toy(factory: pytest.TempPathFactory, place: Path) -> Project:
    """Return a copy of the project that all workers share."""
    made = made_once(factory, "toy", lambda parent: make_toy(parent / "project"))
    return Project(shutil.copytree(made / "project", place, symlinks=True))
