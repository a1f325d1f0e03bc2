"""A project on a table of 300 rows, with an experiment, a bare git repository and a DVC remote."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from tests.crivo.pipeline.project import Project, copy_project

SHARED = "to-share"
REMOTE = """\
[core]
    remote = storage
['remote "storage"']
    url = {store}
"""


def make_tiny(parent: Path) -> Project:
    """Return a project whose pipeline has run, with an experiment, `hub.git` and `store`."""
    project = copy_project(parent / "project")
    write_rows(parent / "rows.csv")
    for key, value in (("user.name", "Ana"), ("user.email", "ana@example.org")):
        project.git("config", key, value)
    project.run("crivo", "init", "../rows.csv", "--target", "won")
    project.git("rm", "--quiet", "--ignore-unmatch", "data/raw/flights.dvc")
    settings = project.read("params.yaml")
    project.write("params.yaml", re.sub(r"max_iter: \d+", "max_iter: 5", settings, count=1))
    project.dvc("repro", "--quiet")
    project.commit("Take my own table")
    project.git("clone", "--quiet", "--bare", ".", "../hub.git")
    project.git("remote", "add", "origin", "../hub.git")
    project.git("fetch", "--quiet", "origin")
    change = "evaluate.value.capacity=0.1"
    project.dvc("exp", "run", "--quiet", "--temp", "--name", SHARED, "-S", change)
    return project


def write_rows(path: Path) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(300, 2)).round(3)
    won = np.where(numbers[:, 0] + rng.normal(size=300) > 0, "yes", "no")
    kind = rng.choice(list("uvw"), 300)
    table = pd.DataFrame({"a": numbers[:, 0], "b": numbers[:, 1], "kind": kind, "won": won})
    table.to_csv(path, index=False)


def copy_of(project: Project, parent: Path) -> Project:
    """Copy a project with its bare repository and its remote."""
    shutil.copytree(project.folder.parent, parent, symlinks=True)
    copy = Project(parent / project.folder.name)
    copy.write(".dvc/config.local", REMOTE.format(store=parent / "store"))
    return copy
