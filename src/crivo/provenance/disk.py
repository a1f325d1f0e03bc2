"""Files on this disk: the hash that DVC gives them, and whether the cache holds them."""

from __future__ import annotations

import hashlib
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from crivo.core.archives import UNREADABLE, read_members
from crivo.core.artifacts import MODEL
from crivo.core.parsing import parse_listing
from crivo.experiments.git import Repository
from crivo.sharing.share import open_dvc


@dataclass(frozen=True)
class Disk:
    """The workspace and the DVC cache of a project."""

    repository: Repository

    def digest(self, path: Path) -> str | None:
        """Return the hash of a file, or of a folder that is an output; None for nothing there.

        A file of `crivo export` has that of the model in it.
        """
        if path.is_file():
            return _md5(path)
        return self._folder(path) if path.is_dir() else None

    def _folder(self, path: Path) -> str | None:
        from dvc.exceptions import OutputNotFoundError

        try:
            (out, *_) = self._dvc.find_outs_by_path(str(path.resolve()))
        except OutputNotFoundError:
            return None
        return str(out.get_hash().value)

    def cached(self, md5: str) -> bool:
        """Whether the cache holds a file, or a folder with all that is in it."""
        place = self._place(md5)
        if not place.is_file():
            return False
        if not md5.endswith(".dir"):
            return True
        listed = parse_listing(place.read_bytes())
        return listed is not None and all(self._place(md5).is_file() for md5 in listed.values())

    def _place(self, md5: str) -> Path:
        return Path(self._dvc.cache.local.oid_to_path(md5))

    @cached_property
    def _dvc(self) -> Any:
        return open_dvc(self.repository.project)


def _md5(path: Path) -> str:
    md5 = partial(hashlib.md5, usedforsecurity=False)
    if zipfile.is_zipfile(path):
        with suppress(*UNREADABLE):  # then it is a file like any other
            if model := read_members(path, [MODEL.name]):
                return md5(model[MODEL.name]).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, md5).hexdigest()
