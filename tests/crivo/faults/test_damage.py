"""Damaged files in DVC's cache and in the workspace: who notices, and the way out."""

import os
from pathlib import Path

from tests.crivo.faults.sound import recorded_outs, result, wrong_files, wrong_outputs
from tests.crivo.pipeline.project import Project

MODEL = "model.txt"


def damage(place: Path, *, truncate: bool = False) -> None:
    """Flip a bit, or cut off the end, as a disk does: time and permissions stay."""
    before = place.stat()
    place.chmod(0o644)
    content = bytearray(place.read_bytes())
    content[len(content) // 2] ^= 1
    with place.open("r+b") as file:
        file.write(content)
        file.truncate(len(content) // 2 if truncate else len(content))
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    place.chmod(before.st_mode)


def test_a_damaged_stored_file_is_named_and_the_advice_mends_it(quick: Project) -> None:
    before = result(quick)
    outs = recorded_outs(quick.folder, "HEAD")
    (md5,) = (out["md5"] for out in outs if out["path"] == MODEL)
    stored = quick.folder / ".dvc/cache/files/md5" / md5[:2] / md5[2:]
    damage(stored, truncate=True)
    (quick.folder / MODEL).unlink()
    quick.dvc("checkout")
    assert "up to date" in quick.dvc("status")  # DVC trusts what is read-only
    assert list(wrong_outputs(quick))
    assert len(list(wrong_files(quick.folder / ".dvc/cache"))) == 1

    printed = quick.run("crivo", "check", "--stored", fails=True)
    assert "2 are damaged" in printed
    assert f"  {MODEL}\n" in printed
    assert f"{stored.relative_to(quick.folder)}" in printed

    for path in (stored, quick.folder / MODEL):
        path.unlink()
    quick.dvc("repro")
    assert result(quick) == before
    assert not list(wrong_outputs(quick))
    quick.run("crivo", "check", "--stored")
