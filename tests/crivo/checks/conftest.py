"""A small project in which every check is content; a test plants one defect in a copy."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from crivo import checks
from crivo.checks import Finding

FILES = {
    "requirements.txt": "",
    ".dvc/config": "",
    ".dvc/.gitignore": "/tmp\n/cache\n",
    ".gitignore": "__pycache__/\n/models/\n",
    ".dvcignore": "__pycache__/\n",
    "dvc.yaml": """\
stages:
  train:
    cmd: python src/train.py
    deps:
    - requirements.txt
    - src/train.py
    - src/crivo/core
    - src/crivo/training
    - src/blocks/models/${model}.py
    - data/raw/table.csv
    params:
    - seed
    - model
    - train
    - models.${model}
    outs:
    - models/model.skops
    - metrics/train.json:
        cache: false
  evaluate:
    cmd: python src/evaluate.py
    deps:
    - requirements.txt
    - src/evaluate.py
    - src/crivo/core
    - models/model.skops
    params:
    - evaluate
    outs:
    - metrics/evaluation.json:
        cache: false
""",
    "params.yaml": """\
seed: 1
model: small   # which block
train:
  rows: 10
evaluate:
  split: valid
models:
  small:
    depth: 2
  large:
    depth: 9
""",
    "data/raw/table.csv": "id,y\n1,0\n",
    "src/train.py": """\
if __name__ == "__main__":
    from crivo.core.start import start_stage

    start_stage()

from crivo.core.params import read_params
from crivo.core.stage import run_stage
from crivo.training.fit import fit


def train(params):
    block = params.block("model")
    fit(block, params.train.rows, seed=params.seed)


if __name__ == "__main__":
    run_stage(train)
""",
    "src/evaluate.py": """\
if __name__ == "__main__":
    from crivo.core.start import start_stage

    start_stage()

from crivo.core.stage import run_stage


def evaluate(params):
    print(params.evaluate.split.upper())


if __name__ == "__main__":
    run_stage(evaluate)
""",
    "src/crivo/__init__.py": "",
    "src/crivo/core/__init__.py": '"""What every stage shares."""\n',
    "src/crivo/core/start.py": "def start_stage(): ...\n",
    "src/crivo/core/stage.py": "from crivo.core.params import read_params\n",
    "src/crivo/core/errors.py": "class CrivoError(Exception):\n    pass\n",
    "src/crivo/core/blocks.py": 'KINDS = {"model": ("models", object)}\n',
    "src/crivo/core/problems.py": """\
from crivo.core.errors import CrivoError


class Problems(CrivoError):
    found = ()
""",
    "src/crivo/core/registry.py": """\
import importlib
from pathlib import Path

from crivo.core.errors import CrivoError

BLOCKS = "src/blocks"


def block_names(kind):
    folder = Path(__file__).parents[2] / "blocks" / "models"
    return sorted(path.stem for path in folder.glob("[!_]*.py"))


def find_block(kind, name):
    module = importlib.import_module(f"blocks.models.{name}")
    if not hasattr(module, "Block"):
        raise CrivoError("defines 0 classes derived from Model.")
    return module.Block
""",
    "src/crivo/core/params.py": """\
from pathlib import Path
from types import SimpleNamespace

from crivo.core.problems import Problems
from crivo.core.registry import find_block


def read_params():
    if "dpeth" in Path("params.yaml").read_text():
        error = Problems()
        error.problems = [SimpleNamespace(key="models.small.dpeth", message="unknown setting")]
        raise error
""",
    "src/crivo/training/__init__.py": "",
    "src/crivo/training/fit.py": "def fit(block, rows, seed): ...\n",
    "src/blocks/__init__.py": "",
    "src/blocks/models/__init__.py": "",
    "src/blocks/models/small.py": "class Block: ...\n",
    "src/blocks/models/large.py": "class Block: ...\n",
}


class TinyProject:
    """A project in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, text: str) -> None:
        """Write a file, and add it to git."""
        self.leave(path, text)
        self.git("add", "-f", path)

    def leave(self, path: str, text: str = "") -> None:
        """Write a file and don't tell git."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a piece of a file, which must be there."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.leave(path, text.replace(old, new, 1))

    def git(self, *arguments: str) -> None:
        names = "-c", "user.name=Test", "-c", "user.email=test@example.org"
        command = ["git", *names, *arguments]
        subprocess.run(command, cwd=self.root, check=True, capture_output=True)

    def findings(self, *codes: str) -> list[Finding]:
        return checks.run(self.root, only=codes or None)

    def found(self, *codes: str) -> list[tuple[str, str]]:
        """Return the code and the subject of each finding."""
        return [(finding.code, finding.subject) for finding in self.findings(*codes)]


@pytest.fixture(scope="session")
def good_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("good")
    project = TinyProject(root)
    for path, text in FILES.items():
        project.leave(path, text)
    project.git("init", "--quiet", "--template=")
    project.git("add", "-A")
    project.git("commit", "--quiet", "-m", "A good project")
    return root


@pytest.fixture
def project(good_project: Path, tmp_path: Path) -> TinyProject:
    """A project without a fault, to plant one in."""
    return TinyProject(Path(shutil.copytree(good_project, tmp_path / "project")))
