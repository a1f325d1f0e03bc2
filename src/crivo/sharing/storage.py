"""The DVC remote of a project: what it lacks, bringing that there, and proving that it arrived.

`dvc push` trusts its local index of the remote, and that a file which is there is whole. An
upload that was killed leaves a part of a file on some kinds of remote. So every file is asked
for, with its size, before and after.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.sharing.stored import StoredFile


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
    def _files(self) -> Any:
        with reaching(self.name, self.url):
            return self.repo.cloud.get_remote_odb(self.name, "push")

    def cached(self, file: StoredFile) -> Path:
        """Return where the cache of this clone has a file, if it has it."""
        return Path(self.repo.cache.local.oid_to_path(file.md5))

    def lacking(self, files: Sequence[StoredFile]) -> list[StoredFile]:
        """Return the files that are not there, or not with the size that they have here."""
        from dvc.fs.callbacks import TqdmCallback

        odb = self._files
        paths = [odb.oid_to_path(file.md5) for file in files]
        with (
            reaching(self.name, self.url),
            TqdmCallback(desc=f"Checking {self.name}", unit="file", size=len(paths)) as bar,
        ):
            found = odb.fs.info(paths, callback=bar, return_exceptions=True)
            sizes = [_size(answer) for answer in found]
        return [file for file, size in zip(files, sizes, strict=True) if not self._is(file, size)]

    def _is(self, file: StoredFile, size: int | None) -> bool:
        here = self.cached(file)
        return size is not None and (not here.exists() or here.stat().st_size == size)

    def upload(self, files: Iterable[StoredFile]) -> None:
        """Bring files there from the cache; CrivoError when one is damaged or doesn't arrive."""
        wanted = {file.md5: file for file in files}
        for file in wanted.values():
            _refuse_damaged(file, self.cached(file))
        # A listing goes last: DVC takes it for the proof that its files are there.
        self._put([file for file in wanted.values() if not file.listing])
        self._put([file for file in wanted.values() if file.listing])

    def _put(self, files: list[StoredFile]) -> None:
        from dvc.fs.callbacks import TqdmCallback

        if not files:
            return
        with (
            reaching(self.name, self.url),
            TqdmCallback(desc=f"Pushing to {self.name}", unit="file", size=len(files)) as bar,
        ):
            self._files.add(
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
            "address and your access, and share again."
        ) from error


def _size(answer: Any) -> int | None:
    """Return the size that a remote tells of a file; None when it has no such file."""
    if isinstance(answer, FileNotFoundError):
        return None
    if isinstance(answer, Exception):
        raise answer
    return int(answer["size"])


def _refuse_damaged(file: StoredFile, place: Path) -> None:
    with place.open("rb") as content:
        found = hashlib.file_digest(content, "md5").hexdigest()
    if found != file.md5.removesuffix(".dir"):
        raise CrivoError(
            f"The stored copy of {file.path} is damaged: {place} has not the content that its name "
            "says; delete it, run the experiment again, and share it then."
        )
