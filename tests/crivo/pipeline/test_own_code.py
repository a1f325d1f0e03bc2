"""A stage runs the code it stands beside, not that of another checkout.

A trial does, too: see `test_a_trial_runs_its_own_code_with_another_model`.
"""

import shutil
from pathlib import Path

from tests.crivo.pipeline.project import Project


def test_an_older_commit_runs_its_older_code(project: Project, tmp_path: Path) -> None:
    project.replace("src/blocks/models/prior.py", "class Prior(Model):", "class Prior(Model):  #")
    project.replace("src/train.py", "    run.save(", "    print('NEW')\n    run.save(")
    project.commit("Change the code")
    clone = Project(tmp_path / "clone")
    project.git("clone", "--quiet", str(project.folder), str(clone.folder))
    clone.git("checkout", "--quiet", "HEAD~1")
    for path in ("data/raw/flights", ".dvc/cache/files"):
        shutil.copytree(project.folder / path, clone.folder / path)
    clone.dvc("checkout", "prepare", "featurize")
    printed = clone.dvc("repro", "--force", "--single-item", "train")
    assert "boosting fitted" in printed
    assert "NEW" not in printed
