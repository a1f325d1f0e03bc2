"""A search of real trials that is killed halfway and goes on, beside one that nothing killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.crivo import forked
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.search.fake import trees_of
from tests.crivo.faults.sound import wrong_files
from tests.crivo.pipeline.project import environment

pytestmark = pytest.mark.pipeline

# Once so many trials have begun, the others wait for as long as there is a folder.
HOLD = """
import os, time
for number in range(3):
    try:
        os.open({hold!r} + f"/{number}", os.O_CREAT | os.O_EXCL)
    except FileNotFoundError:
        break
    except FileExistsError:
        continue
    break
else:
    while os.path.exists({hold!r}):
        time.sleep(0.05)
"""
SPACE = "models.boosting.learning_rate=uniform(0.05, 0.9)"


def start(project: Project, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "crivo.cli", "search", *arguments],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def run(project: Project, *arguments: str) -> str:
    done = forked.run(["crivo", "search", *arguments], project.folder, environment())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def whole(toy: Project, tmp_path: Path) -> Project:
    """Give a project whose trials can be made to wait."""
    with (toy.folder / "src/train.py").open("a") as script:
        script.write(HOLD.replace("{hold!r}", repr(str(tmp_path / "hold"))))
    toy.git("commit", "--quiet", "--all", "--message", "Wait")
    return toy


def test_a_killed_search_ends_with_the_same_experiments(whole: Project, tmp_path: Path) -> None:
    shutil.copytree(whole.folder, tmp_path / "killed", symlinks=True)
    killed = Project(tmp_path / "killed")
    assert "6 trials: 6 run" in run(whole, SPACE, "--trials", "6", "--workers", "2")
    (tmp_path / "hold").mkdir()
    process = start(killed, SPACE, "--trials", "6", "--workers", "2")
    while len(trees_of(killed)) < 3:
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    shutil.rmtree(tmp_path / "hold")
    assert len(trees_of(killed)) == 3
    printed = run(killed, "--resume")
    assert "6 trials: 6 run" in printed
    assert trees_of(killed) == trees_of(whole)
    assert [*wrong_files(killed.folder / ".dvc/cache")] == []
