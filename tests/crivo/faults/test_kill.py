"""Commands that are killed at random moments, or run twice at once.

CRIVO_KILLS=30 kills each of them thirty times, at other moments each time.
"""

import json
import os
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crivo.faults.killing import finish, kill, start
from tests.crivo.faults.sound import change, result, wrong
from tests.crivo.pipeline.project import Project

TIMES = int(os.environ.get("CRIVO_KILLS", "0"))
JOBS = {"repro": ("dvc", "repro"), "share": ("crivo", "share", "trial")}


def remove_broken_lock(folder: Path) -> None:
    """Do what docs/team.md and crivo say where DVC was killed while it wrote who reads what."""
    path = folder / ".dvc/tmp/rwlock"
    try:
        json.loads(path.read_text() if path.exists() else "{}")
    except ValueError:
        path.unlink()


@pytest.mark.plain_path
@pytest.mark.timeout(300 + 60 * TIMES)
@pytest.mark.parametrize("name", JOBS)
def test_what_is_killed_leaves_nothing_wrong_and_comes_out_the_same(
    name: str, copy_to: Callable[[Path], Project], tmp_path: Path
) -> None:
    def begun(folder: str) -> tuple[Project, subprocess.Popen[str]]:
        project = copy_to(tmp_path / folder)
        change(project)
        return project, start(JOBS[name], project.folder, tmp_path)

    whole, running = begun("undisturbed")
    beginning = time.monotonic()
    assert finish(running)[0] == 0
    seconds = time.monotonic() - beginning
    rng = random.Random(None if TIMES else name)
    for number in range(TIMES or 1):
        project, running = begun(f"killed-{number}")
        moment = rng.uniform(0.2, 1) * seconds
        kill(running, moment, child=(number % 2 == 1) != (name == "repro"))
        remove_broken_lock(project.folder)
        assert wrong(project) == [], f"killed after {moment} s"
        assert "Traceback" not in project.run(*JOBS[name])
        assert wrong(project) == []
        assert result(project) == result(whole), f"killed after {moment} s"


@pytest.mark.parametrize("name", JOBS)
def test_two_at_once_leave_nothing_wrong(quick: Project, name: str) -> None:
    change(quick)
    both = [start(JOBS[name], quick.folder, quick.folder.parent) for _ in range(2)]
    ends = [finish(one) for one in both]
    assert 0 in [status for status, _ in ends], ends
    for status, words in ends:
        assert "Traceback" not in words
        assert status == 0 or "Unable to acquire lock" in words or "busy" in words, words
    assert wrong(quick) == []
    quick.run(*JOBS[name])
    assert wrong(quick) == []
    if name == "share":
        assert len(result(quick)["shared"]) == 1
    else:
        assert "up to date" in quick.dvc("status")
