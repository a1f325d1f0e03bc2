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
    ours, dvcs = (
        Project(shutil.copytree(made, tmp_path / name, symlinks=True)) for name in ("ours", "dvcs")
    )
    # The second trial of a search has what the first one read and resolved.
    ours.run("crivo", "search", f"{RATE}=0.2,0.3", "--sampler", "grid", "--workers", "1")
    ours.run("crivo", "try", "--name", "tried", f"{RATE}=0.4", "evaluate.split=test")
    for name, *changes in (
        ("boosting-learning_rate=0.3", f"{RATE}=0.3"),
        ("tried", f"{RATE}=0.4", "evaluate.split=test"),
    ):
        settings = [part for change in changes for part in ("-S", change)]
        dvcs.dvc("exp", "run", "--temp", "--name", name, *settings)
        assert tree(ours, name) == tree(dvcs, name)
