"""Brings the raw data of a commit into a clone: from the cache, the workspace, a remote, a package.

Wherever they come from, their bytes are compared with what the commit's `.dvc` files record.
"""

from __future__ import annotations

from contextlib import suppress

from crivo.core.errors import CrivoError
from crivo.project.fetch import fetch_flights
from crivo.repository.clones import share_cache
from crivo.repository.dvc_project import edit_config
from crivo.repository.git import Repository
from crivo.repository.lock import Lock
from crivo.repository.outputs import RawData, content_hash, recorded_raw
from crivo.repository.paths import covers
from crivo.repository.running import run_dvc


def bring_raw_data(home: Repository, clone: Repository, lock: Lock, name: str) -> None:
    """Put all raw data that the stages read into a clone; CrivoError when some are nowhere."""
    needed = _needed(clone, lock, name)
    # Copies, not links: what a stage does to them mustn't reach the cache.
    share_cache(home, clone, link="copy")
    if missing := _missing(clone, needed):
        run_dvc(["checkout", "--force", *_dvc_files(missing)], clone.project)
    with edit_config(clone.project) as config:
        config["cache"] = {}  # what comes now is the clone's alone
    if missing := _missing(clone, needed):
        run_dvc(["pull", "--force", *_dvc_files(missing)], clone.project)
    if any(one.path == "data/raw/flights" for one in _missing(clone, needed)):
        with suppress(CrivoError):  # what is still missing is said below
            fetch_flights(clone.project)
    if missing := _missing(clone, needed):
        raise CrivoError(
            f"{name} reads {', '.join(f'{one.path} (md5 {one.md5})' for one in missing)}, which "
            "is not in this clone's DVC cache or workspace, nor in a DVC remote, nor in an "
            "installed package; ask whoever recorded it to `dvc push`, then verify again."
        )


def _needed(clone: Repository, lock: Lock, name: str) -> list[RawData]:
    """Return what the stages read and git doesn't hold; CrivoError when DVC doesn't either."""
    kept, needed = recorded_raw(clone), list[RawData]()
    for source in lock.sources:
        matches = [one for one in kept if covers(one.path, source) or covers(source, one.path)]
        if not matches and not (clone.project / source).exists():
            raise CrivoError(
                f"{name} reads {source}, which neither git nor DVC keeps there, so it can't be "
                f"reproduced; `git add` it (data: `dvc add`), run the pipeline, and commit."
            )
        needed += [one for one in matches if one not in needed]
    return needed


def _missing(clone: Repository, needed: list[RawData]) -> list[RawData]:
    return [one for one in needed if content_hash(clone.project / one.path) != one.md5]


def _dvc_files(missing: list[RawData]) -> list[str]:
    return list(dict.fromkeys(one.dvc_file for one in missing))
