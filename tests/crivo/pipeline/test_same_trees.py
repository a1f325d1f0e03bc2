"""A trial that crivo runs is what `dvc exp run` would have recorded, byte by byte."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.repository.git import open_repository
from crivo.repository.kept import kept_times
from tests.crivo.pipeline.project import Project, copy_project

# The settings that it starts from split by time and group. With CRIVO_FUZZ=2 also those that make
# it every shipped model and splitter.
TRIALS = [("model=forest", "baseline=linear")]
MORE = [
    ("model=xgboost", "baseline=boosting"),
    ("model=lightgbm", "baseline=sklearn", "splitter=by_group"),
    ("splitter=at_random", "featurizers.tabular.max_levels=3"),
    ("splitter=by_time", "model=prior"),
]


def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(300, 2)).round(3)
    days = pd.date_range("2024-01-01", periods=60).strftime("%Y-%m-%d").repeat(5)
    won = np.where(numbers[:, 0] + rng.normal(size=300) > 0, "yes", "no")
    person = rng.integers(0, 100, 300).astype(str)
    return pd.DataFrame(
        {"day": days, "person": person, "a": numbers[:, 0], "b": numbers[:, 1], "won": won}
    )


@pytest.fixture
def started(tmp_path: Path) -> Project:
    """Give a project on a table with times and groups, committed; its pipeline has not run."""
    project = copy_project(tmp_path / "project")
    rows().to_csv(tmp_path / "rows.csv", index=False)
    options = ("--target", "won", "--time", "day", "--group", "person", "--yes")
    project.run("crivo", "init", "../rows.csv", *options)
    project.git("rm", "--quiet", "--ignore-unmatch", "data/raw/flights.dvc")
    for model in ("max_iter: 200", "max_iter: 50", "trees: 100", "n_estimators: 200"):
        key = model.partition(":")[0]
        text = project.read("params.yaml").replace(f"    {model}\n", f"    {key}: 5\n")
        project.write("params.yaml", text)
    project.commit("Take a table")
    return project


def tree(project: Project, name: str) -> str:
    (ref,) = [
        one
        for one in project.git("for-each-ref", "--format=%(refname)", "refs/exps").splitlines()
        if one.endswith(f"/{name}")
    ]
    return project.git("ls-tree", "-r", ref)


@pytest.mark.plain_path
def test_the_recorded_tree_is_the_one_that_dvc_records(started: Project, tmp_path: Path) -> None:
    shutil.copytree(started.folder, tmp_path / "dvc", symlinks=True)
    other = Project(tmp_path / "dvc")
    more = MORE if int(os.environ.get("CRIVO_FUZZ", "1")) > 1 else []
    for number, changes in enumerate([*TRIALS, *more]):
        name = f"trial{number}"
        started.run("crivo", "try", "--name", name, *changes)
        settings = [part for change in changes for part in ("-S", change)]
        other.dvc("exp", "run", "--temp", "--name", name, *settings)
        assert tree(started, name) == tree(other, name)
        if number == 0:  # the others start where stages have run
            for one in (started, other):
                one.dvc("exp", "apply", name)
                assert "up to date" in one.dvc("status")
                one.commit("Keep the first trial")
    times = kept_times(open_repository(started.folder))
    assert {"fit", "predict"} in [{*of} for of in times.values()]
    # The third trial of one process has what those before it read and resolved.
    space = ("models.forest.trees=6,7,8", "--sampler", "grid", "--workers", "1")
    started.run("crivo", "search", *space)
    other.dvc("exp", "run", "--temp", "--name", "last", "-S", "models.forest.trees=8")
    assert tree(started, "forest-trees=8") == tree(other, "last")
    assert all(seconds > 0 for of in times.values() for seconds in of.values())
