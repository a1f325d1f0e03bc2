"""A disk that is full at any moment of `dvc repro`, and what happens once there is room again.

The disk is a small file system in memory where mounting is permitted; elsewhere a limit on the
size of files does the same to each file that is larger.
"""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.crivo import forked
from tests.crivo.faults.sound import result, wrong
from tests.crivo.faults.tiny import copy_of
from tests.crivo.pipeline.project import Project, environment

COMMAND = ("dvc", "repro")
SIZE, BLOCK = 64_000_000, 4096
BLOCKS_LEFT = (0, 1, 2, 3)
FILE_LIMITS = (0, 12, 300)


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


def run(project: Project, limit: int | None = None) -> tuple[int, str]:
    """Run the pipeline, perhaps with a limit on the size of files."""
    if limit is None and forked.runs(COMMAND):
        done = forked.run(COMMAND, project.folder, environment())
        return done.returncode, done.stdout + done.stderr

    def lower() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        COMMAND,
        cwd=project.folder, env=environment(), capture_output=True, text=True, check=False,
        preexec_fn=lower,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def expected(made: Project, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Give what the command leaves when there is room."""
    project = copy_of(made, tmp_path_factory.mktemp("room") / "all")
    change(project)
    assert run(project)[0] == 0
    return result(project)


def change(project: Project) -> None:
    project.write("params.yaml", "a: 4\n")


def finished(project: Project, expected: dict[str, object]) -> None:
    """With room again, the next run does what it should have done."""
    status, words = run(project)
    assert status == 0, words
    assert wrong(project) == []
    assert result(project) == expected


@pytest.mark.parametrize("left", BLOCKS_LEFT)
def test_a_full_disk_leaves_nothing_wrong(
    made: Project, expected: dict[str, object], tmp_path: Path, left: int
) -> None:
    with small_disk(tmp_path / "disk"):
        project = copy_of(made, tmp_path / "disk/all")
        change(project)
        filler = tmp_path / "disk/filler"
        fill(filler, left)
        status, words = run(project)
        assert status == 0 or "ERROR: " in words
        assert "Traceback" not in words
        filler.unlink()
        assert wrong(project) == []
        finished(project, expected)


@pytest.mark.parametrize("limit", FILE_LIMITS)
def test_files_that_may_not_grow_leave_nothing_wrong(
    made: Project, expected: dict[str, object], tmp_path: Path, limit: int
) -> None:
    project = copy_of(made, tmp_path / "all")
    change(project)
    status, words = run(project, limit)
    assert status, words
    assert wrong(project) == []
    finished(project, expected)
