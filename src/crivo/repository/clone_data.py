"""What DVC keeps of a project, for a temporary clone: cache, remotes, raw data."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from crivo.repository.dvc_project import edit_config, open_dvc
from crivo.repository.git import Repository
from crivo.repository.running import run_dvc


def share_cache(home: Repository, clone: Repository, *, changed_data: bool = False) -> None:
    """Let a clone use the project's cache, its remotes, and the settings kept out of git.

    `changed_data`: raw data that differ from their record come along, for DVC to record them.
    """
    from dvc.config import merge

    with open_dvc(home.project, wait=True) as repo:
        with edit_config(clone.project) as config:
            # Read through DVC, a path is a full one: it is relative to a folder of the project.
            merge(config, repo.config.read("local"))
            merge(config, {"remote": repo.config["remote"]})
            config["cache"]["dir"] = str(repo.cache.local_cache_dir)
            # What DVC notes of a clone goes with it.
            config["core"]["site_cache_dir"] = str(clone.project / ".dvc/tmp/notes")
        listed = clone.git("ls-files", "-z", "--", f"{clone.prefix}*.dvc").split("\0")
        for name in filter(None, listed):
            _bring(repo, home, clone, name.removeprefix(clone.prefix), changed_data)


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


# --- for a clone with a cache of its own ------------------------------------------------------


def checkout_from_cache(home: Repository, clone: Repository, dvc_files: Sequence[str]) -> None:
    """Bring raw data from the project's cache, as far as it has them."""
    with open_dvc(home.project) as repo:
        cache = Path(repo.cache.local_cache_dir)
    if not cache.is_dir():
        return
    # Copies, not links: what a stage does to them mustn't reach the cache.
    with edit_config(clone.project) as config:
        config["cache"] = {"dir": str(cache), "type": "copy"}
    run_dvc(["checkout", "--quiet", *dvc_files], clone.project)
    with edit_config(clone.project) as config:
        config["cache"] = {}


def share_remotes(home: Repository, clone: Repository) -> bool:
    """Give the clone the project's remotes, also those that git doesn't know; say if any."""
    with open_dvc(home.project) as repo:
        remotes = {name: dict(options) for name, options in repo.config["remote"].items()}
        default = repo.config["core"].get("remote")
    with edit_config(clone.project) as config:
        # The paths of the project's own configuration are relative to its folder.
        config["remote"] = remotes
        if default:
            config["core"]["remote"] = default
    return bool(remotes)
