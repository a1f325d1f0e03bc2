"""Writes files and folders into DVC's cache, by their hashes, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from crivo.core.errors import NotRun
from crivo.repository.cache import DIR, Cache

PIECE = 1 << 20
# What DVC gives the files of its cache: nobody changes them.
READ_ONLY = 0o444

FilesIn = Callable[[Path], Iterable[Path]]


@dataclass(frozen=True)
class Content:
    """What `dvc.lock` says of a file or folder besides its path."""

    md5: str
    size: int | None = None
    nfiles: int | None = None
    isexec: bool = False

    def entry(self, path: str) -> dict[str, Any]:
        """Return it as an entry of `dvc.lock`."""
        entry: dict[str, Any] = {"path": path, "hash": "md5", "md5": self.md5}
        entry |= {} if self.size is None else {"size": self.size}
        entry |= {} if self.nfiles is None else {"nfiles": self.nfiles}
        return entry | ({"isexec": True} if self.isexec else {})


def content_of(entry: Mapping[str, Any]) -> Content:
    """Return what an entry of `dvc.lock` says."""
    executable = bool(entry.get("isexec"))
    return Content(str(entry.get("md5")), entry.get("size"), entry.get("nfiles"), executable)


class Files(Protocol):
    """What several caches share: `crivo.repository.remote_files.RemoteFiles`."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def has(self, md5: str) -> bool:
        """Whether a file is there."""
        ...

    def put(self, md5: str, place: Path) -> None:
        """Bring a file there."""
        ...

    def get(self, md5: str, place: Path) -> None:
        """Write a file from there to a place."""
        ...


@dataclass(frozen=True)
class Store:
    """A cache to write to. `files_in` gives the files of a folder that DVC doesn't ignore.

    `remote`: where others have their files from, and this cache what it lacks. All that the store
    says to have is there, too.
    """

    cache: Cache
    files_in: FilesIn
    folder_mode: int = 0o777
    remote: Files | None = None

    def content(self, place: Path, *, keep: bool = False) -> Content:
        """Return the hash of a file or folder, and with `keep` put it into the cache."""
        if not place.is_dir():
            md5 = md5_of(place)
            if keep:
                self._keep(md5, lambda beside: _copy(place, beside))
            status = place.stat()
            return Content(md5, status.st_size, isexec=bool(status.st_mode & stat.S_IEXEC))
        parts = {
            file.relative_to(place).as_posix(): self.content(file, keep=keep)
            for file in self.files_in(place)
        }
        # As DVC writes it: this text decides about the hash.
        listing = json.dumps(
            [{"md5": parts[name].md5, "relpath": name} for name in sorted(parts)]
        ).encode()
        md5 = hashlib.md5(listing, usedforsecurity=False).hexdigest() + DIR
        if keep:
            self._keep(md5, lambda beside: beside.write_bytes(listing))
        return Content(md5, sum(part.size or 0 for part in parts.values()), len(parts))

    def has(self, md5: str) -> bool:
        """Whether the cache holds a file, or a folder with all that is in it, undamaged."""
        if not md5:
            return False
        if not md5.endswith(DIR):
            return self._had(md5)
        self.bring(md5)
        if not self._sound(md5):
            return False
        listing = self.cache.listing(md5)
        # The listing comes last: that it is there is the proof that its files are.
        return listing is not None and all(map(self._had, listing.values())) and self._had(md5)

    def _had(self, md5: str) -> bool:
        """Whether a file is there, for the others as well."""
        if not self._sound(md5):
            return self.remote is not None and self.remote.has(md5)
        self._share(md5)
        return True

    def _share(self, md5: str) -> None:
        if self.remote is not None and not self.remote.has(md5):
            self.remote.put(md5, self.cache.place(md5))

    def bring(self, md5: str) -> None:
        """Take a file from the remote that the cache lacks, if there is a remote and it has it."""
        remote = self.remote
        if remote is not None and not self._sound(md5) and remote.has(md5):
            self._write(md5, lambda beside: remote.get(md5, beside))

    def _sound(self, md5: str) -> bool:
        """Whether a file is there; as DVC does, trust what nobody could change, hash the rest."""
        place = self.cache.place(md5)
        try:
            mode = stat.S_IMODE(place.stat().st_mode)
        except OSError:
            return False
        return mode == READ_ONLY or md5_of(place) == md5.removesuffix(DIR)

    def _keep(self, md5: str, write: Callable[[Path], object]) -> None:
        if not self._sound(md5):
            self._write(md5, write)
        self._share(md5)

    def _write(self, md5: str, write: Callable[[Path], object]) -> None:
        place = self.cache.place(md5)
        place.parent.mkdir(mode=self.folder_mode, parents=True, exist_ok=True)
        write_whole(place, write, READ_ONLY)

    def fetch(self, md5: str, place: Path) -> None:
        """Copy a file or folder from the cache to a place where there is nothing.

        NotRun: the cache doesn't have all of it.
        """
        self.bring(md5)
        listing = self.cache.listing(md5) if md5.endswith(DIR) else {"": md5}
        for name, one in (listing or {}).items():
            target = place / name if name else place
            target.parent.mkdir(parents=True, exist_ok=True)
            self.bring(one)
            try:
                shutil.copyfile(self.cache.place(one), target)
            except FileNotFoundError:
                listing = None
        if listing is None:
            raise NotRun(
                f"{place.name} is not in this clone's DVC cache (hash {md5[:7]}); bring it with "
                "`dvc pull`, or raw data with `make data`, and run it again."
            )


def write_whole(place: Path, write: Callable[[Path], object], mode: int | None = None) -> None:
    """Write a file beside its place and rename it: it is whole, or not there."""
    name = f".{place.name}.{os.getpid()}-{threading.get_ident()}.tmp"
    beside = place.with_name(name)
    try:
        write(beside)
        if mode is not None:
            with suppress(OSError):  # not every file system knows modes
                beside.chmod(mode)
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


def remove(place: Path) -> None:
    """Remove a file or folder, if there is one."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)


def md5_of(place: Path) -> str:
    """Return the hash of a file."""
    digest = hashlib.md5(usedforsecurity=False)
    with place.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()
