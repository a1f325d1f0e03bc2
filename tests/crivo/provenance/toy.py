"""A project of three stages that take no time, for tests that plant a fault in one of them."""

from __future__ import annotations

from pathlib import Path

from tests.crivo.pipeline.project import Project

FILES = {
    "requirements.txt": "",
    "params.yaml": "seed: 1\n",
    ".gitignore": "/models/\n/data/prepared/\n/data/raw/numbers.txt\n",
    "data/raw/numbers.txt": "0.5\n",
    "dvc.yaml": """
stages:
  prepare:
    cmd: python src/prepare.py
    deps: [requirements.txt, src/prepare.py, data/raw/numbers.txt]
    outs: [data/prepared/rows.txt]
  train:
    cmd: python src/train.py
    deps: [requirements.txt, src/train.py, data/prepared/rows.txt]
    params: [seed]
    outs: [models/model.skops]
  evaluate:
    cmd: python src/evaluate.py
    deps: [requirements.txt, src/evaluate.py, models/model.skops]
    outs:
    - metrics/evaluation/metrics.json: {cache: false}
metrics: [metrics/evaluation/metrics.json]
""",
    "src/prepare.py": """
from pathlib import Path
Path("data/prepared").mkdir(parents=True, exist_ok=True)
Path("data/prepared/rows.txt").write_text(Path("data/raw/numbers.txt").read_text())
""",
    # The "model" is the number in the data and a little of the seed.
    "src/train.py": """
import os, random, yaml
from pathlib import Path
value = float(Path("data/prepared/rows.txt").read_text())
value += yaml.safe_load(open("params.yaml"))["seed"] / 100
# planted
Path("models").mkdir(exist_ok=True)
Path("models/model.skops").write_text(repr(value))
""",
    "src/evaluate.py": """
import json
from pathlib import Path
value = float(Path("models/model.skops").read_text())
Path("metrics/evaluation").mkdir(parents=True, exist_ok=True)
text = json.dumps({"roc_auc": round(value, 10), "verdict": "better"})
Path("metrics/evaluation/metrics.json").write_text(text)
""",
}


def toy_project(folder: Path) -> Project:
    """Return a project whose pipeline has run and is committed."""
    project = Project(folder)
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        project.write(name, text)
    project.git("init", "--quiet", "--initial-branch", "main")
    for key, value in (("user.name", "Ana"), ("user.email", "ana@example.org")):
        project.git("config", key, value)
    project.dvc("init", "--quiet")
    project.dvc("config", "core.analytics", "false")
    project.dvc("add", "--quiet", "data/raw/numbers.txt")
    project.dvc("repro", "--quiet")
    project.commit("Start")
    return project


def plant(project: Project, line: str) -> None:
    """Put a line of Python into the training stage."""
    project.replace("src/train.py", "# planted", line)
