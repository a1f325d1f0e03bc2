"""Brings the raw data of a commit into a clone: from the cache, the workspace, a remote, a package.

Wherever they come from, their bytes are compared with what the commit's `.dvc` files record.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.preparation.rawdata import RawRecord, differences, parse_dvc_file, raw_files
from crivo.project.fetch import fetch_flights
from crivo.repository.clone_data import checkout_from_cache, share_remotes
from crivo.repository.git import Repository
from crivo.repository.lock import Lock
from crivo.repository.paths import covers
from crivo.repository.running import run_dvc


@dataclass(frozen=True)
class RawData:
    """A file or folder that DVC keeps, its `.dvc` file, and the hash that this records."""

    path: str
    dvc_file: str
    md5: str

    def is_in(self, project: Path) -> bool:
        """Whether a project's folder has it, with the bytes that are recorded."""
        place = project / self.path
        return place.exists() and not differences(raw_files(place), RawRecord(self.md5))


def bring_raw_data(home: Repository, clone: Repository, lock: Lock, name: str) -> None:
    """Put all raw data that the stages read into a clone; CrivoError when some are nowhere."""
    missing = _needed(clone, lock, name)
    ways: tuple[Callable[[], None], ...] = (
        lambda: checkout_from_cache(home, clone, _dvc_files(missing)),
        lambda: _from_workspace(home, clone, missing),
        lambda: _from_remote(clone, missing),
        lambda: _from_package(clone, missing),
    )
    configuration = share_remotes(home, clone)
    for bring in ways:
        missing = [one for one in missing if not one.is_in(clone.project)]
        if missing:
            bring()
    missing = [one for one in missing if not one.is_in(clone.project)]
    if missing:
        asked = "its DVC remote" if configuration else "a DVC remote (none is set up)"
        raise CrivoError(
            f"{name} reads {', '.join(f'{one.path} (md5 {one.md5})' for one in missing)}, which "
            f"is not in this clone's DVC cache or workspace, nor in {asked}, nor in an "
            "installed package; ask whoever recorded it to `dvc push`, then verify again."
        )


def _needed(clone: Repository, lock: Lock, name: str) -> list[RawData]:
    """Return what the stages read and git doesn't hold; CrivoError when DVC doesn't either."""
    tracked = list(_tracked(clone))
    needed = []
    for source in lock.sources:
        matches = [one for one in tracked if covers(one.path, source) or covers(source, one.path)]
        if not matches and not (clone.project / source).exists():
            raise CrivoError(
                f"{name} reads {source}, which neither git nor DVC keeps there, so it can't be "
                f"reproduced; `git add` it (data: `dvc add`), run the pipeline, and commit."
            )
        needed += [one for one in matches if one not in needed]
    return needed


def _tracked(clone: Repository) -> Iterator[RawData]:
    """Yield what the `.dvc` files of a clone record."""
    listed = clone.git("ls-files", "-z", "--", f"{clone.prefix}*.dvc").split("\0")
    for file in filter(None, listed):
        place = Path(file.removeprefix(clone.prefix))
        for name, md5 in parse_dvc_file((clone.project / place).read_bytes()).items():
            yield RawData((place.parent / name).as_posix(), place.as_posix(), md5)


# --- where they come from ---------------------------------------------------------------------


def _from_workspace(home: Repository, clone: Repository, missing: list[RawData]) -> None:
    for one in missing:
        if one.is_in(home.project):
            source, target = home.project / one.path, clone.project / one.path
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy(source, target)


def _from_remote(clone: Repository, missing: list[RawData]) -> None:
    run_dvc(["pull", "--quiet", *_dvc_files(missing)], clone.project)


def _from_package(clone: Repository, missing: list[RawData]) -> None:
    if any(one.path == "data/raw/flights" for one in missing):
        try:
            fetch_flights(clone.project)
        except CrivoError:
            return  # what is still missing is said by the caller


def _dvc_files(missing: list[RawData]) -> list[str]:
    return list(dict.fromkeys(one.dvc_file for one in missing))
