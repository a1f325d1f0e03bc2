"""Reads DVC's cache without DVC: its place by the configuration, its layout, listings and hashes.

The layout is `files/md5/ab/cdef…` below the cache's folder. A folder's hash ends in `.dir` and is
that of its listing, a file in the cache as any other.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import BinaryIO

from crivo.core.errors import CrivoError

DIR = ".dir"
# The number of bytes of a file that are read at once.
CHUNK = 2**20


@dataclass(frozen=True)
class Cache:
    """The cache of a project, by the project's folder."""

    project: Path

    @cached_property
    def folder(self) -> Path:
        """Where its files are; CrivoError when the project is none of DVC's."""
        return cache_folder(self.project) / "files/md5"

    def place(self, md5: str) -> Path:
        """Return where a file is, or would be, by its hash."""
        return self.folder / md5[:2] / md5[2:]

    def listing(self, md5: str) -> dict[str, str] | None:
        """Return the hash of each file of a folder; None if its listing is missing or damaged."""
        place = self.place(md5)
        if not md5.endswith(DIR) or not place.is_file():
            return None
        try:
            listed = json.loads(place.read_bytes())
            return {str(one["relpath"]): str(one["md5"]) for one in listed}
        except (ValueError, LookupError, TypeError, RecursionError):
            return None

    def has(self, md5: str) -> bool:
        """Whether it holds a file, or a folder with all that is in it."""
        if not self.place(md5).is_file():
            return False
        if not md5.endswith(DIR):
            return True
        listed = self.listing(md5)
        return listed is not None and all(self.place(one).is_file() for one in listed.values())


def md5_of(content: bytes | Path | BinaryIO) -> str:
    """Return the hash that DVC uses for this content, this file, or this open file."""
    if isinstance(content, Path):
        with content.open("rb") as file:
            return md5_of(file)
    digest = hashlib.md5(usedforsecurity=False)
    pieces = [content] if isinstance(content, bytes) else iter(partial(content.read, CHUNK), b"")
    # In pieces, because some kinds of remote give files that `hashlib.file_digest` refuses.
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def cache_folder(project: Path) -> Path:
    """Return the folder that DVC is configured to keep its cache in."""
    project_roots = (up for up in (project, *project.absolute().parents) if (up / ".dvc").is_dir())
    root = next(project_roots, None)
    if root is None:
        raise CrivoError(
            f"{project} isn't a DVC project, so it has no stored predictions or other files; run "
            "this in the project's folder, the one that has `.dvc`."
        )
    # The first that says it counts, as in DVC: local, the project's, the user's, the system's.
    for place in (root / ".dvc/config.local", root / ".dvc/config", *_config_files()):
        if chosen := _folder_in(place):
            return Path(os.path.normpath(place.parent / Path(chosen).expanduser()))
    return root / ".dvc/cache"


def _folder_in(place: Path) -> str | None:
    """Return what a DVC configuration file says of it; None for nothing, CrivoError if broken."""
    from configobj import ConfigObj, ConfigObjError

    try:
        with place.open() as file:  # as DVC reads it: in the encoding of this system
            config = ConfigObj(file).dict()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ConfigObjError, UnicodeDecodeError) as error:
        raise CrivoError(f"{place} can't be read as a DVC configuration: {error}.") from None
    for name, section in config.items():
        for key in section if isinstance(section, dict) else ():
            if (name.lower(), key.lower()) == ("cache", "dir"):
                return str(section[key])
    return None


def _config_files() -> list[Path]:
    """Return the configuration of this user, then that of this machine."""
    from platformdirs import site_config_dir, user_config_dir

    user = os.environ.get("DVC_GLOBAL_CONFIG_DIR") or user_config_dir("dvc", "iterative")
    machine = os.environ.get("DVC_SYSTEM_CONFIG_DIR") or site_config_dir("dvc", "iterative")
    return [Path(user) / "config", Path(machine) / "config"]
