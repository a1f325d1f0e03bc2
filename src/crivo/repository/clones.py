"""Temporary clones of the project, which only read it: its workspace and git's index stay.

A clone shares git's objects and the DVC cache with the project, so nothing is copied twice and
what is known isn't computed again.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.git import TRIAL_START
from crivo.core.params import PARAMS_FILE
from crivo.repository.dvc_project import open_dvc
from crivo.repository.git import Repository

# Settings of git that decide which bytes a checkout gives, and who commits.
KEPT = r"^(user\.(name|email)|core\.(autocrlf|eol|filemode|symlinks)|filter\..*)$"
REMOTES = r"^remote\..*\.(url|pushurl)$"


def clone_at(home: Repository, place: Path, base: str, revision: str) -> Repository:
    """Clone without copying objects: the record's files on top of the commit it started from."""
    home.git("clone", "--quiet", "--shared", "--no-checkout", str(home.top), str(place))
    clone = Repository(place, home.prefix)
    _share_objects(home, clone)
    _configure_git(home, clone)
    clone.git("checkout", "--quiet", "--detach", revision)
    clone.git("reset", "--quiet", "--soft", base)
    return clone


def clone_of_workspace(home: Repository, place: Path, base: str) -> Repository:
    """Clone the commit that is checked out, with the changes that the workspace has.

    CrivoError: a merge has conflicts that nobody has resolved.
    """
    clone = clone_at(home, place, base, base)
    # While DVC holds this lock, it may have put the workspace's changes aside.
    with open_dvc(home.project, wait=True) as repo, repo.lock:
        tree = _tree_of_workspace(home, clone)
    return _at_tree(clone, tree)


def clone_like(
    home: Repository, place: Path, base: str, other: Repository, tree: str
) -> Repository:
    """Clone the commit that is checked out with a tree that another clone, which stays, holds."""
    clone = clone_at(home, place, base, base)
    with clone.place("objects/info/alternates").open("a", encoding="utf-8") as file:
        file.write(f"{other.place('objects').resolve().as_posix()}\n")
    return _at_tree(clone, tree)


def _at_tree(clone: Repository, tree: str) -> Repository:
    """Give a clone a tree's files; its stages verify raw data by the records among them."""
    clone.git("read-tree", "--reset", "-u", tree)
    clone.git("config", TRIAL_START, tree)
    return clone


def _tree_of_workspace(home: Repository, clone: Repository) -> str:
    """Return the tree of all files that git knows, as they are in the workspace.

    DVC stashes the same: what is staged and what was changed or deleted, no untracked file but
    the settings. The tree is written into the clone, through a copy of the index.
    """
    if home.git("ls-files", "--unmerged"):
        raise CrivoError(
            "A merge has conflicts in this workspace, so there is no state to run; resolve them "
            "(`git status` names the files), then try again."
        )
    beside = home.index_beside(clone.place("crivo-index"))
    beside |= {"GIT_OBJECT_DIRECTORY": str(clone.place("objects"))}
    plain = ("-c", "core.splitIndex=false", "-c", "core.fsmonitor=false")
    home.git(*plain, "add", "--update", environment=beside)
    home.git(*plain, "add", "--", f"{home.prefix}{PARAMS_FILE}", check=False, environment=beside)
    return home.git("write-tree", environment=beside).strip()


def _share_objects(home: Repository, clone: Repository) -> None:
    """Let a clone find every object of the project: git copies a shallow one's branches only."""
    if not home.shallow:
        return
    shutil.copy(home.place("shallow"), clone.place("shallow"))
    objects = home.place("objects").resolve().as_posix()
    clone.place("objects/info/alternates").write_text(f"{objects}\n", encoding="utf-8")


def _configure_git(home: Repository, clone: Repository) -> None:
    """Give a clone the settings that decide what a checkout gives, and the project's remotes."""
    for key, value in _settings(home, KEPT):
        clone.git("config", key, value)
    for key, value in _settings(home, REMOTES):
        local = not Path(value).is_absolute() and (home.top / value).exists()
        clone.git("config", key, str((home.top / value).resolve()) if local else value)


def _settings(home: Repository, pattern: str) -> list[tuple[str, str]]:
    text = home.git("config", "--null", "--get-regexp", pattern, check=False)
    pairs = (line.partition("\n") for line in text.split("\0") if line)
    return [(key, value) for key, _, value in pairs]
