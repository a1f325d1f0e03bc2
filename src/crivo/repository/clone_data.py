"""DVC's data for a temporary clone: cache, remotes, raw data."""

from __future__ import annotations

import shutil
from typing import Any

from crivo.repository.dvc_project import edit_config, open_dvc, path_of
from crivo.repository.git import Repository
from crivo.repository.outputs import recorded_raw


def share_cache(
    home: Repository, clone: Repository, *, changed_data: bool = False, link: str | None = None
) -> None:
    """Let a clone use the project's cache, its remotes, and the settings kept out of git.

    `changed_data`: raw data that differ from their record come along, for DVC to record them.
    `link`: how files of the cache come into the clone, in DVC's words; None: as in the project.
    """
    from dvc.config import merge

    with open_dvc(home.project, wait=True) as repo:
        with edit_config(clone.project) as config:
            # Read through DVC, a path is a full one: it is relative to a folder of the project.
            merge(config, repo.config.read("local"))
            merge(config, {"remote": repo.config["remote"]})
            config["cache"]["dir"] = str(repo.cache.local_cache_dir)
            if link:
                config["cache"]["type"] = link
            # What DVC notes of a clone goes with it.
            config["core"]["site_cache_dir"] = str(clone.project / ".dvc/tmp/notes")
        changed = _changed(repo) if changed_data else set()
        for raw in recorded_raw(clone):
            source, target = home.project / raw.path, clone.project / raw.path
            if source.exists() and (raw.path in changed or not repo.cache.local.exists(raw.md5)):
                target.parent.mkdir(parents=True, exist_ok=True)
                # DVC verifies their hash, or records the new one.
                (shutil.copytree if source.is_dir() else shutil.copy)(source, target)


def _changed(repo: Any) -> set[str]:
    """Return the raw data with another hash than recorded; DVC remembers a known file's."""
    outs = [out for stage in repo.index.stages if stage.is_data_source for out in stage.outs]
    return {path_of(out) for out in outs if out.exists and out.changed_checksum()}
