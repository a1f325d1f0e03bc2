"""A command imports what it needs: what only says something starts in a tenth of a second."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import MAIN

SRC = Path(__file__).parents[3] / "src"
HEAVY = {"pandas", "numpy", "scipy", "sklearn", "skops", "pyarrow", "dvc"}
# Runs the command line, and says at its end what was imported.
PROBE = """\
import atexit, sys
sys.argv[0] = "crivo"
from crivo.cli import main
atexit.register(lambda: sys.stderr.write(" ".join(["IMPORTED", *sys.modules])))
main()
"""


def imported(*arguments: str, folder: Path, status: int = 0, **variables: str) -> set[str]:
    """Return the libraries that a command imports."""
    env = os.environ | {"PYTHONPATH": str(SRC), "TERM": "dumb"} | variables
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        cwd=folder, env=env, capture_output=True, text=True,
    )  # fmt: skip
    said, _, names = done.stderr.partition("IMPORTED")
    assert done.returncode == status, said
    return {name.partition(".")[0] for name in names.split()}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Give a repository whose main branch has results."""
    project = Project(tmp_path / "project")
    project.commit(MAIN)
    (project.folder / ".dvc").mkdir()
    return project


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["compare", "--help"], 0),
        (["comapre"], 2),
        (["diff"], 2),
        (["gate", "--quiet", "--verbose"], 1),
    ],
)
def test_what_is_said_without_work_needs_no_library(
    arguments: list[str], status: int, tmp_path: Path
) -> None:
    assert imported(*arguments, folder=tmp_path, status=status) & HEAVY == set()


def test_names_are_completed_without_a_library(project: Project) -> None:
    words = {"COMP_WORDS": "crivo compare ma", "COMP_CWORD": "2"}
    asked = {"_CRIVO_COMPLETE": "complete_bash", **words}
    assert imported(folder=project.folder, **asked) & HEAVY == set()


@pytest.mark.parametrize("arguments", [["incumbent", "show"], ["trace", "HEAD"]])
def test_what_is_read_from_git_alone_needs_no_model(arguments: list[str], project: Project) -> None:
    assert imported(*arguments, folder=project.folder) & {"sklearn", "skops", "dvc"} == set()
