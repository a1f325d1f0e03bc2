"""A DVC remote in place of a cache that several machines see: single files, by their hashes.

One is whole or not there: what comes is compared with its name, and a folder's listing goes after
the files that it lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.repository.cache import DIR
from crivo.repository.cache_store import md5_of
from crivo.repository.dvc_project import open_dvc
from crivo.repository.dvc_remote import Storage, find_storage, reaching


@dataclass(frozen=True)
class Address:
    """A DVC remote by its name and the options that are committed, for another machine.

    Secrets are not among them: each machine has its own, in DVC's configuration for its user or in
    environment variables.
    """

    name: str
    options: tuple[tuple[str, str], ...]


@dataclass
class RemoteFiles:
    """The files of a DVC remote; each answer that one is there is remembered."""

    storage: Storage
    _there: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The remote's name."""
        return self.storage.name

    def has(self, md5: str) -> bool:
        """Whether a file is there."""
        if md5 not in self._there:
            with self._reaching() as odb:
                if not odb.exists(md5):
                    return False
            self._there.add(md5)
        return True

    def put(self, md5: str, place: Path) -> None:
        """Bring a file there."""
        with self._reaching() as odb:
            local = self.storage.repo.cache.local.fs
            odb.add([str(place)], local, [md5], check_exists=False)
        self._there.add(md5)

    def get(self, md5: str, place: Path) -> None:
        """Write a file from there to a place; CrivoError when it has another content."""
        with self._reaching() as odb:
            odb.fs.get_file(odb.oid_to_path(md5), str(place))
        if md5_of(place) != md5.removesuffix(DIR):
            raise CrivoError(
                f"The DVC remote {self.name} has a damaged file: the content of {md5[:2]}/"
                f"{md5[2:]} is another than its name says; delete it there, and push it again."
            )

    def remove(self, md5: str) -> None:
        """Take a file away from there."""
        with self._reaching() as odb:
            odb.fs.rm_file(odb.oid_to_path(md5))
        self._there.discard(md5)

    @contextmanager
    def _reaching(self) -> Iterator[Any]:
        with reaching(self.name, self.storage.url, "run it again"):
            yield self.storage.files


def remote_of(project: Path, name: str) -> tuple[RemoteFiles, Address]:
    """Return a project's DVC remote, and its address; CrivoError when there is none."""
    repo = open_dvc(project)
    storage = find_storage(repo, name)
    committed = repo.config.read("repo").get("remote", {}).get(storage.name, {})
    options = {**committed, "url": storage.url}
    pairs = tuple(sorted((key, str(value)) for key, value in options.items()))
    return RemoteFiles(storage), Address(storage.name, pairs)


def remote_at(address: Address, folder: Path) -> RemoteFiles:
    """Return a remote by its address; what DVC needs to know of it goes into a folder."""
    from dvc.config import Config

    (folder / ".dvc").mkdir(parents=True)
    with Config(str(folder / ".dvc"), validate=False).edit("repo") as config:
        config["core"] = {"no_scm": True}
        config["remote"] = {address.name: dict(address.options)}
    return RemoteFiles(find_storage(open_dvc(folder), address.name))
