"""A disk that is full at any moment of `dvc repro`, and what happens once there is room again.

The disk is a small file system in memory where mounting is permitted; elsewhere a limit on the
size of files does the same to each file that is larger.
"""

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.crivo.faults.sound import change, result, wrong
from tests.crivo.pipeline.project import Project, environment

SIZE, BLOCK = 64_000_000, 4096


@contextmanager
def small_disk(place: Path) -> Iterator[None]:
    """Mount a small file system; the test is told where that isn't permitted."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here; the limits on files stand for it")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(filler: Path, left: int) -> None:
    """Leave so many blocks of a disk free."""
    disk = os.statvfs(filler.parent)
    free = disk.f_bavail * disk.f_frsize - left * BLOCK
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free)


def run(project: Project, limit: int = resource.RLIM_INFINITY) -> tuple[int, str]:
    """Run the pipeline, perhaps with a limit on the size of files."""
    done = subprocess.run(
        ("dvc", "repro"),
        cwd=project.folder, env=environment(), capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def finishes(project: Project, expected: dict[str, object]) -> None:
    """With room again, the next run does what it should have done."""
    assert wrong(project) == []
    project.dvc("repro")
    assert wrong(project) == []
    assert result(project) == expected


def test_a_full_disk_leaves_nothing_wrong(
    copy_to: Callable[[Path], Project], expected: dict[str, object], tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk"):
        project = copy_to(tmp_path / "disk/all")
        change(project)
        filler = tmp_path / "disk/filler"
        fill(filler, left=2)
        status, words = run(project)
        assert status == 0 or "ERROR: " in words
        assert "Traceback" not in words
        filler.unlink()
        finishes(project, expected)


def test_files_that_may_not_grow_leave_nothing_wrong(
    quick: Project, expected: dict[str, object]
) -> None:
    change(quick)
    status, words = run(quick, limit=300)
    assert status, words
    finishes(quick, expected)
