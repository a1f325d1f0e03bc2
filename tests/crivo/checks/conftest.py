"""A small project in which every check is content; a test plants one defect in a copy."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.crivo.pipeline.project import Project

from crivo.checks import review as checks
from crivo.core import artifacts
from crivo.core.findings import Finding

# All that the checks say of the projects of these tests; folders and versions differ.
SAID = Path(__file__).with_name("findings.txt").read_text(encoding="utf-8").splitlines()
FILES = {
    "requirements.txt": "",
    ".dvc/config": "",
    ".dvc/.gitignore": "/tmp\n/cache\n",
    ".gitignore": "__pycache__/\n/models/\n",
    "dvc.yaml": """\
stages:
  train:
    cmd: python src/train.py
    deps:
    - requirements.txt
    - src/train.py
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
models: {small: {depth: 2}, other: {width: 3}}
""",
    "data/raw/table.csv": "id,y\n1,0\n",
    "src/train.py": "from crivo import Run\n",
    "src/evaluate.py": "from crivo import Run\n",
    "src/blocks/models/small.py": "class Block: ...\n",
}


class TinyProject(Project):
    """A project in a folder of its own."""

    def add(self, path: str, text: str) -> None:
        """Write a file, and add it to git."""
        self.write(path, text)
        self.git("add", "-f", path)

    def findings(self, *codes: str) -> list[Finding]:
        found = list(checks.review(self.folder, only=codes or None).findings)
        for one in [one for one in found if one.code != "P001"]:  # DVC says those in its words
            text = f"{one.code} {one.severity} {one.subject}: {one.message}"
            assert re.sub(r'"/.*?"|is 3\S+', "#", text) in SAID
        return found

    def found(self, *codes: str) -> list[tuple[str, str]]:
        """Return the code and the subject of each finding."""
        return [(finding.code, finding.subject) for finding in self.findings(*codes)]


@pytest.fixture(scope="session")
def good_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("good")
    project = TinyProject(root)
    for path, text in FILES.items():
        project.write(path, text)
    project.git("init", "--quiet", "--template=")
    project.commit("A good project")
    return root


@pytest.fixture
def project(good_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TinyProject:
    """A project without a fault, to plant one in; its blocks and settings aren't asked for."""
    for name in ("broken_blocks", "wrong_settings"):
        monkeypatch.setattr(checks.Project, name, ())
    return TinyProject(Path(shutil.copytree(good_project, tmp_path / "project")))


@pytest.fixture
def evaluated(project: TinyProject) -> Callable[..., None]:
    """Give what writes the facts of an evaluation."""

    def facts(**values: Any) -> None:
        artifacts.write_json(project.folder / artifacts.EVALUATION / "evaluation.json", values)

    return facts
