"""The DVC remote of a project: what it lacks, bringing that there, and proving that it arrived.

`dvc push` trusts its local index of the remote. An upload that was killed leaves a part of a file
on some kinds of remote. So the sizes of all files are asked for, and what was sent is read back.
Any kind of remote will do that DVC knows; nothing here names one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.repository.experiment_files import StoredFile

# How much is read at once, bytes.
CHUNK = 2**20


@dataclass(frozen=True)
class Storage:
    """A DVC remote, and the cache that its files come from."""

    name: str
    repo: Any

    @cached_property
    def url(self) -> str:
        """Its address, as the configuration gives it."""
        return str(self.repo.config["remote"][self.name]["url"])

    @cached_property
    def files(self) -> Any:
        """Its files by their hashes, as DVC's own object."""
        with reaching(self.name, self.url):
            return self.repo.cloud.get_remote_odb(self.name, "push")

    def cached(self, file: StoredFile) -> Path:
        """Return where the cache of this clone has a file, if it has it."""
        return Path(self.repo.cache.local.oid_to_path(file.md5))

    def lacking(self, files: Sequence[StoredFile]) -> list[StoredFile]:
        """Return the files that are not there, or have another size there."""
        odb = self.files
        paths = [odb.oid_to_path(file.md5) for file in files]
        with self._reporting("Checking", len(paths)) as bar:
            infos = odb.fs.info(paths, callback=bar, return_exceptions=True)
            sizes = [_size(answer) for answer in infos]
        places = [self.cached(file) for file in files]
        return [
            file
            for file, place, size in zip(files, places, sizes, strict=True)
            if size is None or (place.exists() and place.stat().st_size != size)
        ]

    def damaged(self, files: Sequence[StoredFile]) -> list[StoredFile]:
        """Read files there, several at once, and return those that are not what their hash says."""
        odb = self.files
        with (
            self._reporting("Reading", len(files)) as bar,
            ThreadPoolExecutor(odb.fs.hash_jobs) as pool,
        ):
            digests = bar.wrap(pool.map(partial(_digest, odb), [file.md5 for file in files]))
            return [
                file
                for file, digest in zip(files, digests, strict=True)
                if digest != file.md5.removesuffix(".dir")
            ]

    @contextmanager
    def _reporting(self, what: str, count: int) -> Iterator[Any]:
        from dvc.fs.callbacks import TqdmCallback

        with (
            reaching(self.name, self.url),
            TqdmCallback(desc=f"{what} {self.name}", unit="file", size=count) as bar,
        ):
            yield bar

    def upload(self, files: Iterable[StoredFile]) -> None:
        """Bring files there from the cache; CrivoError when one is damaged or doesn't arrive."""
        wanted = {file.md5: file for file in files}
        for file in wanted.values():
            if _digest(self.repo.cache.local, file.md5) != file.md5.removesuffix(".dir"):
                raise CrivoError(
                    f"The stored copy of {file.path} is damaged: {self.cached(file)} doesn't have "
                    "the content that its name says; delete it, run the experiment again, and "
                    "share it then."
                )
        # A listing goes last: DVC takes it for the proof that its files are there.
        self._put([file for file in wanted.values() if not file.listing])
        self._put([file for file in wanted.values() if file.listing])

    def _put(self, files: list[StoredFile]) -> None:
        if not files:
            return
        with self._reporting("Pushing to", len(files)) as bar:
            self.files.add(
                [str(self.cached(file)) for file in files],
                self.repo.cache.local.fs,
                [file.md5 for file in files],
                check_exists=False,
                callback=bar,
            )


def find_storage(repo: Any, name: str | None) -> Storage:
    """Return a DVC remote by its name, or the default one; CrivoError when there is none."""
    known = sorted(repo.config["remote"])
    chosen = name or repo.config["core"].get("remote")
    if not known:
        raise CrivoError(
            "There is no DVC remote to put the data in; name one with `dvc remote add --default "
            "storage ADDRESS` (a folder, ssh://…, s3://…), and commit .dvc/config."
        )
    if not chosen:
        raise CrivoError(
            "No DVC remote is the default one; choose it with `dvc remote default NAME` and commit "
            f".dvc/config, or name it here with --remote; there is: {', '.join(known)}."
        )
    if chosen not in known:
        raise CrivoError(
            f"There is no DVC remote {chosen!r}, there is: {', '.join(known)}; name one of these, "
            f"or add yours with `dvc remote add {chosen} ADDRESS`."
        )
    return Storage(chosen, repo)


@contextmanager
def reaching(name: str, url: str) -> Iterator[None]:
    """Turn whatever a kind of remote raises into one sentence."""
    try:
        yield
    except CrivoError:
        raise
    except Exception as error:  # each kind of remote is a library with errors of its own
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise CrivoError(
            f"The DVC remote {name} ({url}) can't be used: {words[0].rstrip('.')}; look at its "
            f"address and your access, and share again."
        ) from error


def _size(answer: Any) -> int | None:
    """Return the size that a remote tells of a file; None when it has no such file."""
    if isinstance(answer, FileNotFoundError):
        return None
    if isinstance(answer, Exception):
        raise answer
    return int(answer["size"])


def _digest(odb: Any, md5: str) -> str:
    """Return the hash of what a store of DVC's has in a file's place."""
    digest = hashlib.md5(usedforsecurity=False)
    with odb.fs.open(odb.oid_to_path(md5), "rb") as content:
        while piece := content.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()
