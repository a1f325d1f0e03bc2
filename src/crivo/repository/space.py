"""What of DVC's cache only removed experiments brought, so that it can be deleted.

Needed is what any version of a `dvc.lock` or `.dvc` file records that a branch, tag, experiment,
stash or worktree reaches, older commits included; and what stands in the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml
from crivo.repository.cache import DIR, Cache
from crivo.repository.dvc_project import open_dvc
from crivo.repository.git import Repository

# Records come from anybody, and what isn't a hash may name a file outside of the cache.
MD5 = re.compile(r"[0-9a-f]{32}(\.dir)?")
CHANGED = ("--raw", "--no-abbrev", "--no-renames", "-m", "--root", "-r")


@dataclass(frozen=True)
class Freed:
    """Files of the cache that nothing needs any more, and their size in bytes."""

    files: tuple[Path, ...] = ()
    size: int = 0


def unneeded(repository: Repository, removed: Iterable[str], going: Iterable[str] = ()) -> Freed:
    """Return the cached files that only the commits of removed experiments brought.

    `going`: references that are about to be removed with the commits that only they reach.
    """
    removed = list(removed)
    if not removed:
        return Freed()
    brought = _hashes(repository, _brought(repository, removed))
    if not brought:
        return Freed()
    needed = _hashes(repository, _reached(repository, set(going))) | _of_worktrees(repository)
    cache = Cache(repository.project)
    brought, needed = (_with_contents(cache, hashes) for hashes in (brought, needed))
    places = [cache.place(md5) for md5 in sorted(brought - needed)]
    found = [place for place in places if place.is_file()]
    return Freed(tuple(found), sum(place.stat().st_size for place in found))


def require_own_cache(repository: Repository) -> None:
    """Raise CrivoError when the cache may belong to other projects, too."""
    folder = Cache(repository.project).folder.resolve()
    if repository.top.resolve() not in folder.parents:
        raise CrivoError(
            f"DVC's cache is in {folder}, outside of this clone, so other projects may need its "
            "files; `dvc gc --projects` asks those that you name."
        )


def free(repository: Repository, removed: Iterable[str]) -> Freed:
    """Delete what only removed experiments brought, while no other DVC command runs."""
    removed = list(removed)
    require_own_cache(repository)
    with open_dvc(repository.project, wait=True) as repo, repo.lock:
        freed = unneeded(repository, removed)
        # A folder's listing goes first: what is listed can't be missing then.
        for place in sorted(freed.files, key=lambda place: place.suffix != DIR):
            with suppress(FileNotFoundError):
                place.unlink()
    return freed


def _brought(repository: Repository, commits: Iterable[str]) -> set[str]:
    """Return the hashes in git of the records that commits have otherwise than their parents."""
    command = ("log", "--no-walk", "--format=", *CHANGED, *commits, "--")
    return {blob for path, blob in _changes(repository, *command)
            if path.startswith(repository.prefix)}  # fmt: skip


def _reached(repository: Repository, going: set[str]) -> set[str]:
    """Return the hashes in git of all records that anything but removed experiments reaches."""
    listed = repository.lines("for-each-ref", "--format=%(refname)")
    starts = [ref for ref in listed if not ref.startswith("refs/crivo/") and ref not in going]
    starts += repository.lines("stash", "list", "--format=%H")
    starts += ["HEAD"] if repository.commit("HEAD") else []
    return {blob for _, blob in _changes(repository, "log", "--format=", *CHANGED, *starts, "--")}


def _changes(repository: Repository, *command: str) -> Iterator[tuple[str, str]]:
    """Yield the path and git's hash of each `dvc.lock` and `.dvc` file that a log shows."""
    for line in repository.lines(*command):
        about, _, path = line.partition("\t")
        if PurePosixPath(path).name == "dvc.lock" or path.endswith(".dvc"):
            yield path, about.split(" ")[3]


def _hashes(repository: Repository, blobs: Iterable[str]) -> set[str]:
    found = repository.objects(sorted(blobs))
    return {md5 for blob in found if blob for md5 in _recorded(blob.content)}


def _recorded(content: bytes) -> set[str]:
    """Return the MD5 hashes that a record holds, wherever; none where it can't be read."""
    try:
        return set(_walk(parse_yaml(content)))
    except ParseError:
        return set()


def _walk(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        md5 = value.get("md5")
        if isinstance(md5, str) and MD5.fullmatch(md5):
            yield md5
        for inner in value.values():
            yield from _walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner)


def _of_worktrees(repository: Repository) -> set[str]:
    """Return the hashes that stand in the workspace's own records, and in other worktrees'."""
    lines = repository.lines("worktree", "list", "--porcelain")
    tops = [Path(line.removeprefix("worktree ")) for line in lines if line.startswith("worktree ")]
    hashes: set[str] = set()
    for top in {repository.top, *tops}:
        folder = top / repository.prefix
        for place in (*folder.glob("dvc.lock"), *folder.rglob("*.dvc")):
            if place.is_file():
                hashes |= _recorded(place.read_bytes())
    return hashes


def _with_contents(cache: Cache, hashes: Iterable[str]) -> set[str]:
    """Return the hashes with those of the files in each folder among them."""
    found = set(hashes)
    for md5 in [one for one in found if one.endswith(DIR)]:
        found |= {one for one in (cache.listing(md5) or {}).values() if MD5.fullmatch(one)}
    return found
