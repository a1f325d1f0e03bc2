"""What all trials of a driver start from, in a file that workers elsewhere can read."""

from __future__ import annotations

import hashlib
import logging
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import crivo
from crivo.core.errors import CrivoError
from crivo.experiments.history import History
from crivo.experiments.records import Record
from crivo.experiments.sandbox import base_of, temporary_folder
from crivo.repository.bundles import write_bundle
from crivo.repository.cache import Cache
from crivo.repository.cache_store import Store, md5_of
from crivo.repository.clone_data import cache_folder, require_raw_in_cache
from crivo.repository.clones import clone_of_workspace
from crivo.repository.git import Repository
from crivo.repository.recorded_hashes import recorded_hashes
from crivo.repository.remote_files import Address, remote_of

log = logging.getLogger("crivo.engine")

# Below DVC's cache, beside what DVC keeps there; `dvc gc` leaves it alone.
FOLDER = "crivo"
IDENTITY = ("user.name", "user.email")


@dataclass(frozen=True)
class State:
    """Code and settings that trials start from, and what a worker must have in common with them.

    `cache`: DVC's cache, a folder that all workers see; `remote`: a DVC remote, for workers that
    don't; `key`: the hash of the bundle there;
    `base`: the commit that experiments belong to; `revision`: a commit with the files they start
    from; `prefix`: the project's place in its repository; `identity`: who commits; `python` and
    `library`: those of the driver.
    """

    cache: str
    key: str
    base: str
    revision: str
    prefix: str
    identity: tuple[str, ...]
    python: str
    library: str
    remote: Address | None = None

    @property
    def bundle(self) -> Path:
        """The file with the commits."""
        return Path(self.cache) / FOLDER / f"{self.key}.bundle"


@contextmanager
def workspace_state(history: History, remote: str | None = None) -> Iterator[State]:
    """Give the workspace's state, with its changes, for as long as workers need it.

    `remote`: the name of the DVC remote that they share instead of the project's cache.
    """
    home, base = history.repository, history.head or ""
    with temporary_folder() as folder:
        clone = clone_of_workspace(home, folder / "project", base)
        tree = clone.git("write-tree").strip()
        revision = clone.git("commit-tree", tree, "-p", base, "-m", "The workspace").strip()
        with _sent(home, clone, base, revision, folder, remote) as state:
            yield state


@contextmanager
def record_state(history: History, record: Record, remote: str | None = None) -> Iterator[State]:
    """Give the state of an experiment or a commit, for as long as workers need it."""
    home, base, revision = history.repository, base_of(record), record.origin.revision
    with (
        temporary_folder() as folder,
        _sent(home, home, base, revision, folder, remote) as state,
    ):
        yield state


@contextmanager
def _sent(
    home: Repository,
    source: Repository,
    base: str,
    revision: str,
    folder: Path,
    remote: str | None,
) -> Iterator[State]:
    require_raw_in_cache(home)
    written = folder / "state.bundle"
    write_bundle(source, written, revision)
    content = written.read_bytes()
    cache_place = cache_folder(home)
    state = State(
        cache=str(cache_place),
        key=hashlib.sha256(content).hexdigest()[:32],
        base=base,
        revision=revision,
        prefix=home.prefix,
        identity=tuple(home.git("config", key, check=False).strip() for key in IDENTITY),
        python=platform.python_version(),
        library=library_digest(),
    )
    if remote is None:
        with _in_the_cache(state, content):
            yield state
    else:
        with _in_the_remote(state, source, written, remote, home) as there:
            yield there


@contextmanager
def _in_the_cache(state: State, content: bytes) -> Iterator[None]:
    state.bundle.parent.mkdir(parents=True, exist_ok=True)
    part = state.bundle.with_name(f".{state.key}.part")
    part.write_bytes(content)
    part.replace(state.bundle)
    try:
        yield
    finally:
        state.bundle.unlink(missing_ok=True)


@contextmanager
def _in_the_remote(
    state: State, source: Repository, written: Path, remote: str, home: Repository
) -> Iterator[State]:
    """Put what workers start from into a DVC remote: the commits, and the files of DVC's."""
    files, address = remote_of(home.project, remote)
    store = Store(Cache(home.project), lambda folder: (), remote=files)
    for md5 in recorded_hashes(source, state.revision):
        store.has(md5)  # what is here is there then
    key = md5_of(written)
    files.put(key, written)
    try:
        yield replace(state, cache="", key=key, remote=address)
    finally:
        try:
            files.remove(key)
        except CrivoError as error:  # what was run is recorded all the same
            log.warning("A file of this run (%s) stays in the DVC remote %s: %s", key,
                        files.name, error)  # fmt: skip


@cache
def library_digest() -> str:
    """Return a hash of the library's code."""
    folder = Path(crivo.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()
