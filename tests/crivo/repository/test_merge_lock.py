"""`crivo resolve`: conflicts in `dvc.lock`, made by real merges of git's in a real DVC project."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from crivo.repository.merge_lock import resolve_lock
from tests.crivo import forked
from tests.crivo.experiments.repository import Project
from tests.crivo.pipeline.project import environment

DVC_YAML = """
stages:
  first:
    cmd: cat one.txt > first.out
    deps: [one.txt]
    outs: [first.out]
  second:
    cmd: cat two.txt > second.out
    deps: [two.txt]
    outs: [second.out]
  last:
    cmd: cat first.out second.out > metric.csv
    deps: [first.out, second.out]
    outs:
    - metric.csv: {cache: false}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project of three stages that has run."""
    project = Project(tmp_path_factory.mktemp("made"))
    project.identify()
    dvc(project, "init", "--quiet")
    files = {"dvc.yaml": DVC_YAML, "one.txt": "1\n", "two.txt": "2\n",
             ".gitignore": "/first.out\n/second.out\n"}  # fmt: skip
    for name, text in files.items():
        (project.folder / name).write_text(text)
    save(project, "Start")
    return project.folder


@pytest.fixture
def team(made: Path, tmp_path: Path) -> Project:
    """Give a copy of the project."""
    shutil.copytree(made, tmp_path / "team", symlinks=True)
    return Project(tmp_path / "team")


def dvc(project: Project, *arguments: str) -> str:
    done = forked.run(["dvc", *arguments], project.folder, environment())
    assert done.returncode == 0, done.stderr
    return done.stdout


def save(project: Project, message: str) -> None:
    dvc(project, "repro", "--quiet")
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", message)


def change(project: Project, branch: str, **texts: str) -> None:
    project.git("checkout", "--quiet", "-B", branch, "main")
    for name, text in texts.items():
        (project.folder / f"{name}.txt").write_text(text)
    save(project, branch)


def stop(project: Project, *command: str) -> None:
    done = subprocess.run(["git", *command], cwd=project.folder, capture_output=True)
    assert done.returncode != 0
    assert "dvc.lock" in project.git("diff", "--name-only", "--diff-filter=U")


def finish(project: Project) -> str:
    """Run what is left, commit, and return what ran."""
    ran = dvc(project, "repro")
    project.git("add", "--update")
    assert not project.git("diff", "--name-only", "--diff-filter=U")
    assert (project.folder / "metric.csv").read_text() == "11\n22\n"
    assert "up to date" in dvc(project, "status")
    return ran


@pytest.mark.parametrize("command", [("merge", "theirs"), ("rebase", "theirs")])
def test_stages_that_one_side_changed_are_kept(team: Project, command: tuple[str, ...]) -> None:
    change(team, "theirs", one="11\n")
    change(team, "ours", two="22\n")
    stop(team, *command)
    merged = resolve_lock(team.folder)
    assert {merged.kept["first"], merged.kept["second"]} == {"ours", "theirs"}
    assert merged.left_out == ("last",)
    assert merged.open == ("metric.csv",)
    assert re.findall("Running stage '(.*)'", finish(team)) == ["last"]


def test_a_stage_that_both_changed_is_left_to_dvc(team: Project) -> None:
    change(team, "theirs", one="11\n", two="22\n")
    change(team, "ours", one="11\n")
    stop(team, "merge", "theirs")
    merged = resolve_lock(team.folder)
    assert merged.kept == {"first": "both", "second": "theirs"}
    assert (merged.left_out, merged.open) == (("last",), ("metric.csv",))
    finish(team)
