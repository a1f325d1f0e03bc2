"""What DVC keeps of a project, for a temporary clone: cache, remotes, raw data."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from crivo.core.errors import CrivoError
from crivo.repository.cache import cache_folder as cache_folder_of
from crivo.repository.cache_raw import store_raw
from crivo.repository.dvc_project import open_dvc
from crivo.repository.git import Repository
from crivo.repository.remote_files import Address
from crivo.repository.running import SHOWN, run_dvc


def share_cache(home: Repository, clone: Repository, *, changed_data: bool = False) -> None:
    """Let a clone use the project's cache, its remotes, and the settings kept out of git.

    `changed_data`: raw data that differ from their record come along, for DVC to record them.
    """
    from dvc.config import Config, merge

    with open_dvc(home.project, wait=True) as repo:
        with Config(str(clone.project / ".dvc")).edit("local") as config:
            # Read through DVC, a path is a full one: it is relative to a folder of the project.
            merge(config, repo.config.read("local"))
            merge(config, {"remote": repo.config["remote"]})
            config["cache"]["dir"] = str(repo.cache.local_cache_dir)
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


# --- for workers elsewhere --------------------------------------------------------------------


def cache_folder(home: Repository) -> Path:
    """Return the folder of the project's cache."""
    with open_dvc(home.project) as repo:
        return Path(repo.cache.local_cache_dir).resolve()


def require_raw_in_cache(home: Repository) -> None:
    """Put raw data that were fetched into the cache; CrivoError when some differ from their record.

    Workers elsewhere have the cache and no workspace.
    """
    with open_dvc(home.project, wait=True) as repo:
        with repo.lock:
            store_raw(repo)
        listed = home.git("ls-files", "-z", "--", f"{home.prefix}*.dvc").split("\0")
        for name in filter(None, listed):
            file = home.project / name.removeprefix(home.prefix)
            for path, recorded in _recorded(file):
                source = file.parent / path
                if source.exists() and _differs(repo, file, source, recorded):
                    raise CrivoError(
                        f"{source.relative_to(home.project)} differs from what {file.name} records,"
                        f" and workers have only what is recorded; run `dvc add` and commit {name}."
                    )


def use_cache(home: Repository, cache: Path) -> None:
    """Let a repository use a cache."""
    with _configured(home) as config:
        config["cache"] = {"dir": str(cache)}


def use_remote(home: Repository, address: Address) -> None:
    """Let a repository use a DVC remote, and a cache of its own.

    CrivoError: the folder that is configured for its cache can't be made here.
    """
    with _configured(home) as config:
        config["remote"] = {address.name: dict(address.options)}
        config["core"]["remote"] = address.name
    folder = cache_folder_of(home.project)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CrivoError(
            f"The worker can't keep a DVC cache in {folder} ({error.strerror}); name a folder of "
            "its own with `dvc cache dir --global FOLDER` there."
        ) from None


def push_outputs(clone: Repository, remote: str, name: str) -> None:
    """Have DVC push what an experiment in a clone has made; CrivoError with DVC's last words."""
    done = run_dvc(["push", "--remote", remote], clone.project)
    if done.returncode:
        words = done.stderr.strip().splitlines()[-SHOWN:]
        raise CrivoError(
            "\n".join([f"The files of {name} don't reach {remote}. DVC's last words:", *words])
        )


# --- for a clone with a cache of its own ------------------------------------------------------


def checkout_from_cache(home: Repository, clone: Repository, dvc_files: Sequence[str]) -> None:
    """Bring raw data from the project's cache, as far as it has them."""
    with open_dvc(home.project) as repo:
        cache = Path(repo.cache.local_cache_dir)
    if not cache.is_dir():
        return
    # Copies, not links: what a stage does to them mustn't reach the cache.
    with _configured(clone) as config:
        config["cache"] = {"dir": str(cache), "type": "copy"}
    run_dvc(["checkout", "--quiet", *dvc_files], clone.project)
    with _configured(clone) as config:
        config["cache"] = {}


def share_remotes(home: Repository, clone: Repository) -> bool:
    """Give the clone the project's remotes, also those that git doesn't know; say if any."""
    with open_dvc(home.project) as repo:
        remotes = {name: dict(options) for name, options in repo.config["remote"].items()}
        default = repo.config["core"].get("remote")
    with _configured(clone) as config:
        # The paths of the project's own configuration are relative to its folder.
        config["remote"] = remotes
        if default:
            config["core"]["remote"] = default
    return bool(remotes)


def _configured(clone: Repository) -> Any:
    from dvc.config import Config

    return Config(str(clone.project / ".dvc")).edit("local")
