"""Integrity: whether stored files, and outputs in the workspace, match their hashes.

DVC trusts a file of its cache that is read-only, and an output whose time and size it has
noted. A disk or a copy that lost a bit changes neither, and `dvc status` calls it up to date.
Here every file is read and hashed again, without DVC; it is asked only whether an output that
differs was changed since it noted it.
"""

from __future__ import annotations

from pathlib import Path

from crivo.core.cache import Cache, hash_of, md5_of
from crivo.core.layout import paragraph
from crivo.core.results import result
from crivo.repository.dvc_project import noted_unchanged
from crivo.repository.git import open_repository
from crivo.repository.outputs import content_hash, recorded_outputs
from crivo.repository.progress import each


@result
class Integrity:
    """Whether stored files and outputs match their hashes."""

    stored: int
    """The number of stored files that were read."""
    outputs: int
    """The number of outputs that were read."""
    damaged: tuple[str, ...]
    """The paths of the damaged files."""

    @property
    def sound(self) -> bool:
        """Whether all that was read is what its hash says."""
        return not self.damaged

    @property
    def answer(self) -> str:
        """The outcome in a few sentences."""
        read = f"{self.stored} stored files and {self.outputs} outputs"
        if self.sound:
            return f"All {read} match their hashes."
        return (
            f"Of {read}, {len(self.damaged)} are damaged. Delete those named below. Then "
            "`dvc pull` fetches what a remote has, `dvc checkout` restores what the cache has, "
            "and `dvc repro` recomputes the rest."
        )


def verify_stored(folder: Path = Path()) -> Integrity:
    """Read every file in DVC's cache and every output here again, and name those damaged.

    Nothing is run and nothing changed. An output that `dvc status` calls changed isn't damage;
    CrivoError: there is one with other bytes, and DVC isn't installed to say so.
    """
    project = open_repository(folder).project
    outs, cached_files = recorded_outputs(project), Cache(project).files()
    reading = each(cached_files, "Reading the cache")
    broken = [place for place in reading if md5_of(place) != hash_of(place)]
    reading_outs = each(outs, "Reading outputs")
    hashes = {path: content_hash(project / path) for path in reading_outs}
    other = [path for path, here in hashes.items() if here not in (None, outs[path])]
    noted = noted_unchanged(project, other) if other else set()
    damaged = [path for path in other if path in noted]
    damaged += [_within(place, project) for place in broken]
    same = sum(here == outs[path] for path, here in hashes.items())
    return Integrity(len(cached_files), same + len(noted), tuple(damaged))


def _within(place: Path, project: Path) -> str:
    within = place.is_relative_to(project)
    return (place.relative_to(project) if within else place).as_posix()


def integrity_text(found: Integrity) -> str:
    """Return the sentence, then the paths of the damaged files."""
    return "\n".join([*paragraph(found.answer), *(f"  {path}" for path in found.damaged)])
