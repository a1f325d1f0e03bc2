"""A small DVC project whose workspace is cloned."""

from __future__ import annotations

from pathlib import Path

from crivo.repository.clones import clone_of_workspace
from crivo.repository.git import Repository, open_repository
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.untouched import state_of

FILES = {"code.py": "one\n", "other.py": "other\n", "params.yaml": "a: 1\n", "raw/x": "1\n"}
HASH = "b026324c6904b2a9cb4b88d6d61c81d1"  # md5 of "1\n"
RAW = f"outs:\n- md5: {HASH}\n  size: 2\n  hash: md5\n  path: raw/x\n"


def make(project: Project, below: str = "") -> Project:
    for name, text in {**FILES, "raw.dvc": RAW, ".gitignore": "/raw\n*.tmp\n",
                       ".dvc/.gitignore": "/config.local\n/tmp\n/cache\n"}.items():  # fmt: skip
        write(project.folder / below / name, text)
    write(project.folder / below / ".dvc/config", "")
    project.identify()
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Start")
    return project


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def cloned(folder: Path, place: Path) -> Repository:
    """Return the clone of a workspace, after which this is as it was before."""
    home = open_repository(folder)
    before = state_of(home.top)
    clone = clone_of_workspace(home, place / "clone", home.commit("HEAD") or "")
    assert state_of(home.top) == before
    assert clone.commit("HEAD") == home.commit("HEAD")
    return clone
