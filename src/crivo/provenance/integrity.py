"""`crivo check --stored`: whether stored files, and outputs in the workspace, match their hashes.

DVC trusts a file of its cache that is read-only, and an output whose time and size it has noted. A
disk or a copy that lost a bit changes neither. Here every file is read and hashed again.
"""

from __future__ import annotations

from pathlib import Path

from crivo.core.cache import Cache, hash_of, md5_of
from crivo.core.layout import paragraph
from crivo.core.results import result
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
    """The paths of the files that don't match: damaged ones, and outputs that were changed."""

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
            f"Of {read}, {len(self.damaged)} are damaged or were changed. Delete those named "
            "below. Then `dvc pull` fetches what a remote has, `dvc checkout` restores what the "
            "cache has, and `dvc repro` recomputes the rest."
        )


def verify_stored(folder: Path = Path()) -> Integrity:
    """Read every file in DVC's cache and every output here again, and name those damaged.

    Nothing is run and nothing changed.
    """
    project = open_repository(folder).project
    files, outs = Cache(project).files(), recorded_outputs(project)
    broken = [one for one in each(files, "Reading the cache") if md5_of(one) != hash_of(one)]
    found = {path: content_hash(project / path) for path in each(outs, "Reading outputs")}
    here = {path: md5 for path, md5 in found.items() if md5 is not None}
    other = [path for path, md5 in here.items() if md5 != outs[path]]
    damaged = (*other, *(_within(place, project) for place in broken))
    return Integrity(len(files), len(here), damaged)


def _within(place: Path, project: Path) -> str:
    within = place.is_relative_to(project)
    return (place.relative_to(project) if within else place).as_posix()


def integrity_text(found: Integrity) -> str:
    """Return the sentence, then the paths of the files."""
    return "\n".join([*paragraph(found.answer), *(f"  {path}" for path in found.damaged)])
