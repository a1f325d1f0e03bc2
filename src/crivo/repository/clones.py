"""Temporary clones of the project, for trials and `crivo verify`; they leave its workspace alone.

A clone shares git's objects and the DVC cache with the project, so nothing is copied twice and
what is known isn't computed again.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.git import TRIAL_START
from crivo.core.params import PARAMS_FILE
from crivo.repository.dvc_project import edit_config, open_dvc, path_of
from crivo.repository.git import Repository
from crivo.repository.pipeline import recorded_raw

# Settings of git that decide which bytes a checkout gives, and who commits.
KEPT = r"^(user\.(name|email)|core\.(autocrlf|eol|filemode|symlinks)|filter\..*)$"


def clone_at(home: Repository, place: Path, base: str, revision: str) -> Repository:
    """Clone without copying objects: the record's files on top of the commit it started from."""
    kept = home.git("config", "--null", "--get-regexp", KEPT, check=False).split("\0")
    settings = ["--config=" + line.replace("\n", "=", 1) for line in kept if line]
    how = ("--quiet", "--shared", "--no-checkout", *settings)
    home.git("clone", *how, str(home.top), str(place))
    clone = Repository(place, home.prefix)
    if home.shallow:  # git copies its branches only: the clone is to find every object
        shutil.copy(home.place("shallow"), clone.place("shallow"))
        objects = home.place("objects").resolve().as_posix()
        clone.place("objects/info/alternates").write_text(f"{objects}\n", encoding="utf-8")
    clone.git("checkout", "--quiet", "--detach", revision)
    clone.git("reset", "--quiet", "--soft", base)
    return clone


def clone_of_workspace(home: Repository, place: Path, base: str) -> Repository:
    """Clone the commit that is checked out, with the changes that the workspace has.

    CrivoError: a merge has conflicts that nobody has resolved.
    """
    clone = clone_at(home, place, base, base)
    # While DVC holds this lock, it may have put the workspace's changes aside.
    with open_dvc(home.project) as repo, repo.lock:
        tree = _tree_of_workspace(home, clone)
    clone.git("read-tree", "--reset", "-u", tree)
    # Its stages verify raw data by the records that the workspace has.
    clone.git("config", TRIAL_START, tree)
    return clone


def _tree_of_workspace(home: Repository, clone: Repository) -> str:
    """Return the tree of all files that git knows, as they are in the workspace.

    DVC stashes the same: what is staged and what was changed or deleted, no untracked file but
    the settings. The tree is written into the clone, through a copy of the index.
    """
    if home.git("ls-files", "--unmerged"):
        raise CrivoError(
            "A merge has conflicts in this workspace, so there is nothing to run; resolve them "
            "(`git status` names the files), then try again."
        )
    beside = home.index_beside(clone.place("crivo-index"))
    beside |= {"GIT_OBJECT_DIRECTORY": str(clone.place("objects"))}
    plain = ("-c", "core.splitIndex=false", "-c", "core.fsmonitor=false")
    home.git(*plain, "add", "--update", environment=beside)
    home.git(*plain, "add", "--", f"{home.prefix}{PARAMS_FILE}", check=False, environment=beside)
    return home.git("write-tree", environment=beside).strip()


def share_cache(
    home: Repository, clone: Repository, *, changed_data: bool = False, link: str | None = None
) -> None:
    """Let a clone use the project's cache, its remotes, and the settings kept out of git.

    `changed_data`: raw data that differ from their record come along, for DVC to record them.
    `link`: how files of the cache come into the clone, in DVC's words; None: as in the project.
    """
    from dvc.config import merge

    with open_dvc(home.project) as repo:
        with edit_config(clone.project) as config:
            # Read through DVC, a path is a full one: it is relative to a folder of the project.
            merge(config, repo.config.read("local"))
            merge(config, {"remote": repo.config["remote"]})
            config["cache"]["dir"] = str(repo.cache.local_cache_dir)
            if link:
                config["cache"]["type"] = link
            # What DVC notes of a clone goes with it.
            config["core"]["site_cache_dir"] = str(clone.project / ".dvc/tmp/notes")
        changed = _changed(repo, home) if changed_data else set()
        for raw in recorded_raw(clone):
            source, target = home.project / raw.path, clone.project / raw.path
            if source.exists() and (raw.path in changed or not repo.cache.local.exists(raw.md5)):
                target.parent.mkdir(parents=True, exist_ok=True)
                # DVC verifies their hash, or records the new one.
                (shutil.copytree if source.is_dir() else shutil.copy)(source, target)


def _changed(repo: Any, home: Repository) -> set[str]:
    """Return the raw data with another hash than recorded; DVC remembers a known file's."""
    from dvc.dvcfile import load_file

    files = (load_file(repo, str(home.project / one)) for one in home.not_ignored("*.dvc"))
    outs = [out for file in files for stage in file.stages.values() for out in stage.outs]
    return {path_of(out) for out in outs if out.exists and out.changed_checksum()}
