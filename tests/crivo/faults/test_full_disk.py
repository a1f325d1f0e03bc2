"""A disk that is full at any moment of `dvc repro`, and what happens once there is room again.

The disk is a small file system in memory where mounting is permitted; elsewhere a limit on the
size of files does the same to each file that is larger.
"""

import resource
import subprocess

from tests.crivo.faults.sound import change, result, wrong
from tests.crivo.pipeline.project import Project, environment


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


def test_files_that_may_not_grow_leave_nothing_wrong(
    quick: Project, expected: dict[str, object]
) -> None:
    change(quick)
    status, words = run(quick, limit=300)
    assert status, words
    finishes(quick, expected)
