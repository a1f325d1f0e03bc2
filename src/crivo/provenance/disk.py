"""Files on this disk: the hash that DVC gives them, and whether the cache holds them."""

from __future__ import annotations

import hashlib
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from crivo.core.archives import UNREADABLE, read_members
from crivo.core.artifacts import MODEL
from crivo.repository.cache import Cache
from crivo.repository.git import Repository
from crivo.repository.outputs import content_hash


@dataclass(frozen=True)
class Disk:
    """The workspace and the DVC cache of a project."""

    repository: Repository

    def digest(self, path: Path) -> str | None:
        """Return the hash of a file or folder; None for nothing there.

        A file of `crivo export` has that of the model in it.
        """
        if path.is_file():
            return _md5(path)
        return content_hash(path)

    def cached(self, md5: str) -> bool:
        """Whether the cache holds a file, or a folder with all that is in it."""
        return self._cache.has(md5)

    @cached_property
    def _cache(self) -> Cache:
        return Cache(self.repository.project)


def _md5(path: Path) -> str:
    md5 = partial(hashlib.md5, usedforsecurity=False)
    if zipfile.is_zipfile(path):
        with suppress(*UNREADABLE):  # then it is a file like any other
            if model := read_members(path, [MODEL.name]):
                return md5(model[MODEL.name]).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, md5).hexdigest()
