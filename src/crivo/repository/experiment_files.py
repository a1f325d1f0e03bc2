"""Lists every stored file that an experiment consists of, as its own commit records them.

DVC's own collection passes over what isn't recorded or isn't in the cache, with a warning at
most. Here nothing is passed over: what can't be listed is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.layout import a_few
from crivo.repository.dvc_project import path_of

# Named in one sentence; the rest is counted.
NAMED = 3


@dataclass(frozen=True)
class StoredFile:
    """A file in DVC's cache: its path in the project, its hash, the remote that it names."""

    path: str
    md5: str
    remote: str | None = None

    @property
    def listing(self) -> bool:
        """Whether it is a folder's listing, which DVC stores as a file."""
        return self.md5.endswith(".dir")


@dataclass(frozen=True)
class Contents:
    """What an experiment consists of besides git's files.

    `kept_back` are the outputs that `push: false` keeps on this machine.
    """

    files: tuple[StoredFile, ...]
    kept_back: tuple[str, ...] = ()


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


def contents(repo: Any, revision: str, name: str) -> Contents:
    """Return all stored files of an experiment; CrivoError when some of it isn't recorded."""
    from dvc.exceptions import DvcException

    try:
        return _contents(repo, revision, name)
    except DvcException as error:
        words = " ".join(str(error).split())
        raise CrivoError(
            f"{name} can't be shared: DVC can't read it ({words}). Fix it and run it again."
        ) from None


def _contents(repo: Any, revision: str, name: str) -> Contents:
    # A generator of DVC's that switches the repository to a revision, and back when closed.
    with closing(repo.brancher(revs=[revision], workspace=False)) as revisions:
        next(revisions)
        outs = [out for out in repo.index.outs if not out.stage.is_repo_import]
        _refuse_unrecorded(repo, outs, name)
        cached = [out for out in outs if out.use_cache]
        files = [file for out in cached if out.can_push for file in _files(out, name)]
        kept = tuple(path_of(out) for out in cached if not out.can_push)
    return Contents(tuple(dict.fromkeys(files)), kept)


def _refuse_unrecorded(repo: Any, outs: list[Any], name: str) -> None:
    unrecorded = [path_of(out) for out in outs if out.use_cache and not out.hash_info]
    if unrecorded:
        raise CrivoError(
            f"{name} has no record of {a_few(unrecorded, NAMED)}: its pipeline was not run to the "
            "end; run the experiment again and share that one."
        )
    absent = [path_of(out) for out in outs if not out.use_cache and not repo.fs.exists(out.fs_path)]
    if absent:
        raise CrivoError(
            f"{a_few(absent, NAMED)} of {name} is in neither git nor DVC's cache (`cache: false`), "
            "so a colleague would not get it; `git add` it, commit, and run the experiment again."
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
        f"{a_few(paths, NAMED)} of {name} is not in this clone's DVC cache, nor whole in the "
        "remote; run the experiment again to have it, or share it from the clone that made it."
    )
