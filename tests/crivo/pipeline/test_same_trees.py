"""A trial that crivo runs is what `dvc exp run` would have recorded, byte by byte."""

import shutil
from pathlib import Path

import pytest

from tests.crivo.experiments.toy import made_toy
from tests.crivo.pipeline.project import Project

RATE = "models.boosting.learning_rate"


def tree(project: Project, name: str) -> str:
    refs = project.git("for-each-ref", "--format=%(refname)", "refs/exps").splitlines()
    (ref,) = (one for one in refs if one.endswith(f"/{name}"))
    return project.git("ls-tree", "-r", ref)


@pytest.mark.plain_path
def test_the_recorded_tree_is_the_one_that_dvc_records(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    made = made_toy(tmp_path_factory).folder
    ours = Project(shutil.copytree(made, tmp_path / "ours", symlinks=True))
    # A file that no commit has yet is recorded, too.
    known = "    - metrics/evaluation/jackknife.csv: {cache: false}\n"
    ours.replace("dvc.yaml", known, f"{known}    - metrics/more.json: {{cache: false}}\n")
    script = ours.read("src/evaluate.py")
    ours.write("src/evaluate.py", f'{script}open("metrics/more.json", "w").write("{{}}")\n')
    ours.commit("Make one more file")
    dvcs = Project(shutil.copytree(ours.folder, tmp_path / "dvcs", symlinks=True))
    changes = (f"{RATE}=0.4", "evaluate.split=test")
    ours.run("crivo", "try", "--name", "tried", *changes)
    settings = [part for change in changes for part in ("-S", change)]
    dvcs.dvc("exp", "run", "--temp", "--name", "tried", *settings)
    assert tree(ours, "tried") == tree(dvcs, "tried")
    # DVC takes over what a trial has computed.
    again = ours.dvc("exp", "run", "--temp", "--name", "again", *settings)
    assert "Running stage" not in again
    assert tree(ours, "again") == tree(ours, "tried")
