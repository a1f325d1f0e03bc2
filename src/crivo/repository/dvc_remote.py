"""Lists and uploads an experiment's files in a DVC remote, for `crivo share`.

`dvc push` passes over what isn't recorded or isn't in the cache, with a warning at most, and trusts
its local index of the remote. An upload that was killed leaves a part of a file on some kinds of
remote. So what can't be listed is an error, the sizes of all files are asked for, and what was
sent is read back. Any kind of remote will do that DVC knows; nothing here names one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from crivo.core.cache import md5_of
from crivo.core.errors import CrivoError
from crivo.core.wording import a_few
from crivo.repository.dvc_project import explained, path_of
from crivo.repository.git import Repository

CONFIG = ".dvc/config"
# Named in one sentence; the rest is counted.
NAMED = 3
# How often, and after how many seconds, the remote is asked again for what did not arrive whole:
# another share may be writing the same file at this moment.
LOOKS, PAUSE = 5, 0.5


class StoredFile(NamedTuple):
    """A file in DVC's cache: its path in the project, its hash, the remote that it names."""

    path: str
    md5: str
    remote: str | None = None


# --- what an experiment consists of -------------------------------------------------------------


def store_raw(repo: Any) -> None:
    """Store the workspace's raw data in the cache, where they are what their `.dvc` file records.

    `crivo fetch` brings raw data without DVC, and `dvc push` has only the cache to push from.
    """
    for stage in repo.index.stages:
        if not stage.is_data_source or stage.is_import:
            continue
        for out in stage.outs:
            if out.hash_info and out.exists and out.changed_cache() and not out.changed_checksum():
                out.commit(relink=False)


def contents(repo: Any, revision: str, name: str) -> list[StoredFile]:
    """Return the stored files of an experiment, each content once.

    Outputs that `push: false` keeps here aren't among them. CrivoError: some of it isn't recorded.
    """
    # A generator of DVC's that switches the repository to a revision, and back when closed.
    with (
        explained(lambda why: CrivoError(f"{name} can't be shared. {why}")),
        closing(repo.brancher(revs=[revision], workspace=False)) as revisions,
    ):
        next(revisions)
        outs = [out for out in repo.index.outs if not out.stage.is_repo_import]
        _refuse_unrecorded(repo, outs, name)
        pushed = [out for out in outs if out.use_cache and out.can_push]
        files = [file for out in pushed for file in _files(out, name)]
    return [*{(file.md5, file.remote): file for file in reversed(files)}.values()][::-1]


def _refuse_unrecorded(repo: Any, outs: list[Any], name: str) -> None:
    absent = [
        path_of(out)
        for out in outs
        if not (out.hash_info if out.use_cache else repo.fs.exists(out.fs_path))
    ]
    if absent:
        raise CrivoError(
            f"{name} has no record of {a_few(absent, NAMED)}: its pipeline was not run to the end, "
            "or git ignores what DVC doesn't store (`cache: false`); fix this, run the experiment "
            "again, and share the new one."
        )


def _files(out: Any, name: str) -> Iterator[StoredFile]:
    path = path_of(out)
    yield StoredFile(path, out.hash_info.value, out.remote)
    if not out.is_dir_checksum:
        return
    tree = out.get_obj()
    if tree is None:
        raise CrivoError(lost([path], name))
    for key, _, info in tree:
        yield StoredFile("/".join([path, *key]), info.value, out.remote)


def lost(paths: list[str], name: str) -> str:
    """Say that files are neither in the cache nor in the remote."""
    return (
        f"Neither this clone's DVC cache nor the remote has all of {a_few(paths, NAMED)} of {name}"
        "; run the experiment again, or share it from the clone that made it."
    )


# --- the remote ---------------------------------------------------------------------------------


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
        with self._reaching():
            return self.repo.cloud.get_remote_odb(self.name, "push")

    def cached(self, file: StoredFile) -> Path:
        """Return where the cache of this clone has a file, if it has it."""
        return Path(self.repo.cache.local.oid_to_path(file.md5))

    def send(self, files: Sequence[StoredFile], name: str) -> int:
        """Upload those files of an experiment that are lacking, and return how many these were.

        CrivoError: one is nowhere, is damaged here, or doesn't arrive whole.
        """
        sent = self._lacking(files)
        if missing := [file.path for file in sent if not self.cached(file).exists()]:
            raise CrivoError(lost(missing, name))
        if damaged := self._damaged(self.repo.cache.local, sent):
            raise CrivoError(
                f"The stored copy of {damaged[0].path} is damaged: {self.cached(damaged[0])} "
                "doesn't match its name; delete it, run the experiment again, and share it then."
            )
        self._upload(sent)
        for _ in range(LOOKS):
            absent = self._lacking(files) or self._damaged(self.files, sent)
            if not absent:
                return len(sent)
            time.sleep(PAUSE)
        paths = a_few([file.path for file in absent], NAMED)
        raise CrivoError(
            f"{paths} did not arrive completely in {self.name} although no error was reported; "
            f"check the remote's free space, permissions and disk, and share {name} again."
        )

    def _lacking(self, files: Sequence[StoredFile]) -> list[StoredFile]:
        """Return the files that are not there, or have another size there."""
        paths = [self.files.oid_to_path(file.md5) for file in files]
        with self._reaching():
            sizes = [_size(one) for one in self.files.fs.info(paths, return_exceptions=True)]
        places = [self.cached(file) for file in files]
        return [
            file
            for file, place, size in zip(files, places, sizes, strict=True)
            if size is None or (place.exists() and place.stat().st_size != size)
        ]

    def _damaged(self, odb: Any, files: Sequence[StoredFile]) -> list[StoredFile]:
        """Read files of a store, several at once; return those that are not what their hash says.

        `odb`: the store, as DVC's own object.
        """
        with self._reaching(), ThreadPoolExecutor(odb.fs.hash_jobs) as pool:
            sound = [*pool.map(partial(_is_sound, odb), files)]
        return [file for file, fits in zip(files, sound, strict=True) if not fits]

    def _upload(self, files: Sequence[StoredFile]) -> None:
        from dvc.fs.callbacks import TqdmCallback

        # A folder's listing goes last: DVC takes it for the proof that its files are there.
        for listing in (False, True):
            part = [file for file in files if file.md5.endswith(".dir") == listing]
            places, hashes = [str(self.cached(file)) for file in part], [file.md5 for file in part]
            title, local = f"Pushing to {self.name}", self.repo.cache.local.fs
            with self._reaching(), TqdmCallback(desc=title, unit="file", size=len(part)) as bar:
                self.files.add(places, local, hashes, check_exists=False, callback=bar)

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Turn whatever a kind of remote raises into one sentence."""
        try:
            yield
        except CrivoError:
            raise
        except Exception as error:  # each kind of remote is a library with errors of its own
            words = str(error).strip().splitlines() or [type(error).__name__]
            raise CrivoError(
                f"The DVC remote {self.name} ({self.url}) can't be used: {words[0].rstrip('.')}; "
                "check its address and your access, and share again."
            ) from error


def find_storage(repo: Any, name: str | None) -> Storage:
    """Return a DVC remote by its name, or the default one; CrivoError when there is none."""
    chosen = name or repo.config["core"].get("remote")
    if chosen not in repo.config["remote"]:
        raise CrivoError(
            f"There is no DVC remote {chosen or 'by default'}; name one with --remote, or add one "
            "with `dvc remote add --default storage ADDRESS` (a folder, ssh://…, s3://…) and "
            "commit .dvc/config."
        )
    return Storage(chosen, repo)


def _size(answer: Any) -> int | None:
    """Return the size that a remote tells of a file; None when it has no such file."""
    if isinstance(answer, FileNotFoundError):
        return None
    if isinstance(answer, Exception):
        raise answer
    return int(answer["size"])


def _is_sound(odb: Any, file: StoredFile) -> bool:
    """Whether a store of DVC's has in a file's place what its hash says."""
    # Another upload of the same file takes it away for a moment where it can't be cloned.
    with suppress(FileNotFoundError), odb.fs.open(odb.oid_to_path(file.md5), "rb") as content:
        return md5_of(content) == file.md5.removesuffix(".dir")
    return False


# --- its configuration, in the experiment or on this machine only ---------------------------------


def notes_on_configuration(storage: Storage, repository: Repository, revision: str) -> list[str]:
    """Return what a colleague has to do to reach a remote, in sentences.

    `dvc exp push` and `dvc exp pull` read the configuration that the experiment was recorded with.
    If that knows no such remote, they move no data and report success.
    """
    from configobj import ConfigObj

    text = repository.content(revision, CONFIG) or b""
    config = ConfigObj(text.decode(errors="replace").splitlines())
    # DVC takes a relative address for a path from the place of the configuration: `/.dvc` there.
    url = config.get(f'remote "{storage.name}"', {}).get("url")
    if (url, config.get("core", {}).get("remote")) == (storage.url, storage.name):
        return []
    return [
        f"This experiment was recorded with another configuration of {storage.name}, which `dvc "
        "exp pull` uses. A colleague must first run "
        f"`dvc remote add --local --default {storage.name} {storage.url}`."
    ]
