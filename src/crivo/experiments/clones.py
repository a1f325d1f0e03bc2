"""Temporary clones of the project, which only read it: its workspace and git's index stay.

A clone shares git's objects and the DVC cache with the project, so nothing is copied twice and
what is known isn't computed again.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE
from crivo.experiments.git import Repository

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
    with _dvc(home) as repo, repo.lock:
        tree = _tree_of_workspace(home, clone)
    clone.git("read-tree", "--reset", "-u", tree)
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


# --- what DVC keeps ---------------------------------------------------------------------------


def share_cache(home: Repository, clone: Repository, *, changed_data: bool = False) -> None:
    """Let a clone use the project's cache, its remotes, and the settings kept out of git.

    `changed_data`: raw data that differ from their record come along, for DVC to record them.
    """
    from dvc.config import Config, merge

    with _dvc(home) as repo:
        with Config(str(clone.project / ".dvc")).edit("local") as config:
            # Read through DVC, a path is a full one: it is relative to a folder of the project.
            merge(config, repo.config.read("local"))
            merge(config, {"remote": repo.config["remote"]})
            config["cache"]["dir"] = str(repo.cache.local_cache_dir)
        listed = clone.git("ls-files", "-z", "--", f"{clone.prefix}*.dvc").split("\0")
        for name in filter(None, listed):
            _bring(repo, home, clone, name.removeprefix(clone.prefix), changed_data)


def _dvc(home: Repository) -> Any:
    """Return DVC's view of the project; CrivoError when it isn't one of DVC's."""
    from dvc.exceptions import NotDvcRepoError
    from dvc.repo import Repo

    try:
        return Repo(str(home.project), _wait_for_lock=True)
    except NotDvcRepoError:
        raise CrivoError(
            f"{home.project} is no DVC project, so no experiment can run; run this in the "
            "project's folder, the one that has `.dvc`."
        ) from None


def _bring(repo: Any, home: Repository, clone: Repository, name: str, changed_data: bool) -> None:
    """Copy raw data that only the workspace has; DVC verifies their hash or records the new."""
    for path, recorded in _recorded(clone.project / name):
        source, target = ((one.project / name).parent / path for one in (home, clone))
        if not source.exists():
            continue
        wanted = changed_data and _differs(repo, home.project / name, source, recorded)
        if repo.cache.local.exists(recorded) and not wanted:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)


def _recorded(file: Path) -> list[tuple[str, str]]:
    """Return the paths and hashes of a `.dvc` file; none when it is broken, as DVC will say."""
    try:
        outs = yaml.safe_load(file.read_text(encoding="utf-8"))["outs"]
        return [(str(out["path"]), str(out.get("md5"))) for out in outs]
    except (yaml.YAMLError, LookupError, TypeError, AttributeError):
        return []


def _differs(repo: Any, file: Path, source: Path, recorded: str) -> bool:
    """Whether data have another hash than the one recorded; DVC remembers a known file's."""
    from dvc.dvcfile import load_file
    from dvc.exceptions import DvcException

    try:
        outs = load_file(repo, str(file)).stage.outs
    except DvcException:
        return False
    same = (out for out in outs if Path(out.fs_path).resolve() == source.resolve())
    return any(out.get_hash().value != recorded for out in same)
