"""Are the stored files, and the outputs in the workspace, still what their hashes say?

DVC trusts a file of its cache that is read-only, and an output whose time and size it has
noted. A disk or a copy that lost a bit changes neither, and `dvc status` calls it up to date.
Here every file is read and hashed again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crivo.core.parsing import parse_listing
from crivo.experiments.git import open_repository
from crivo.sharing.share import open_dvc

LENGTH = 32
SUFFIX = ".dir"


@dataclass(frozen=True)
class Damaged:
    """A file that isn't what its hash says; for a stored one, the output that it belongs to."""

    path: str
    of: str | None = None


@dataclass(frozen=True)
class Soundness:
    """How many stored files and outputs were read, and those that are damaged."""

    stored: int
    outputs: int
    damaged: tuple[Damaged, ...]

    @property
    def answer(self) -> str:
        """The outcome in one sentence."""
        if not self.damaged:
            return (
                f"All {self.stored} stored files and {self.outputs} outputs are what their "
                "hashes say."
            )
        return (
            f"{len(self.damaged)} of {self.stored} stored files and {self.outputs} outputs "
            "are damaged. Delete those named below; then `dvc pull` brings what a remote has, "
            "`dvc checkout` what the cache has, and `dvc repro` makes the rest again."
        )


def verify_stored(folder: Path = Path()) -> Soundness:
    """Read every file in DVC's cache and every output here again, and name those damaged.

    Nothing is run and nothing changed. An output that `dvc status` calls changed is no damage.
    """
    project = open_repository(folder).project
    repo = open_dvc(project)
    outs = [out for out in repo.index.outs if out.hash_info and out.exists]
    unchanged = [out for out in outs if out.get_hash() == out.hash_info]
    _forget(repo)
    damaged = [Damaged(_shown(out)) for out in unchanged if out.get_hash() != out.hash_info]
    cache = Path(repo.cache.local.path)
    stored = [place for place in sorted(cache.glob("??/*")) if len(_hash(place)) == LENGTH]
    broken = [place for place in stored if _md5(place) != _hash(place)]
    owners = _owners(repo, cache) if broken else {}
    damaged += [Damaged(_within(place, project), owners.get(_hash(place))) for place in broken]
    return Soundness(len(stored), len(unchanged), tuple(damaged))


def _forget(repo: Any) -> None:
    """Let DVC read files where it would believe its notes."""
    from dvc_data.hashfile.state import StateNoop

    repo.cache.local.state = StateNoop()


def _owners(repo: Any, cache: Path) -> dict[str, str]:
    """Return the output, or the file in one, that each stored file belongs to here."""
    owners: dict[str, str] = {}
    for out in repo.index.outs:
        if out.use_cache and out.hash_info:
            owners |= dict(_files(out, cache))
    return owners


def _files(out: Any, cache: Path) -> Iterator[tuple[str, str]]:
    name = out.hash_info.value
    yield name.removesuffix(SUFFIX), _shown(out)
    listing = cache / name[:2] / name[2:]
    if not name.endswith(SUFFIX) or not listing.exists():
        return
    # A listing that is damaged itself is named as such.
    for path, md5 in (parse_listing(listing.read_bytes()) or {}).items():
        yield md5, f"{_shown(out)}/{path}"


def _shown(out: Any) -> str:
    return "/".join(out.index_key[1])


def _within(place: Path, project: Path) -> str:
    within = place.is_relative_to(project)
    return (place.relative_to(project) if within else place).as_posix()


def _hash(place: Path) -> str:
    """Return the hash that a stored file's name says."""
    return (place.parent.name + place.name).removesuffix(SUFFIX)


def _md5(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()
