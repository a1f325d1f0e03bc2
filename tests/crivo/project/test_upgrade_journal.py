"""An upgrade can be killed between any two files, finished by the next, and undone by git."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.project.upgrade.journal import (
    FOLDER,
    changed_files,
    put_in_place,
    require_clean,
    unfinished,
    write_plan,
)
from crivo.project.wheel import Wheel

WHO = ("-c", "user.name=T", "-c", "user.email=t@example.org")
WHEEL = Wheel("crivo-2-py3-none-any.whl", b"second")
BEFORE = {"Makefile": b"old\n", "src/gone.py": b"1\n", "own.py": b"2\n", "dvc.lock": b"results\n"}
CONTENTS = {
    "Makefile": b"new\n",
    "src/gone.py": None,
    "src/train.py.new": b"3\n",
    "run": b"#!/bin/sh\n",
}
AFTER = {
    "Makefile": b"new\n",
    "own.py": b"2\n",
    "dvc.lock": b"results\n",
    "src/train.py.new": b"3\n",
    "run": b"#!/bin/sh\n",
}
# Puts the upgrade in place and is killed before the file of that number.
KILLED = """
import json, os, signal, sys
from pathlib import Path
from crivo.project.upgrade import journal

put, left = journal._put, int(sys.argv[1])

def stop(*arguments):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    put(*arguments)

journal._put = stop
plan = journal.Plan(**json.loads(sys.argv[2]))
journal.put_in_place(Path(), plan)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for path, content in BEFORE.items():
        place = tmp_path / path
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    (tmp_path / ".gitignore").write_text("/.dvc/tmp\n.*.part\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, *WHO, "commit", "--quiet", "--message", "Start")
    return tmp_path


def files(project: Path) -> dict[str, bytes]:
    listed = git(project, "ls-files", "-z", "-co", "--exclude-standard").split("\0")
    found = {path: project / path for path in listed if path and path != ".gitignore"}
    return {path: place.read_bytes() for path, place in found.items() if place.is_file()}


def test_all_of_it_is_put_in_place(project: Path) -> None:
    put_in_place(project, write_plan(project, WHEEL, CONTENTS, [], []))
    assert files(project) == AFTER
    assert os.access(project / "run", os.X_OK) or os.name == "nt"
    assert not (project / FOLDER).exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("finished", [1, 2])
def test_killed_after_any_file_it_is_finished_by_the_next(project: Path, finished: int) -> None:
    plan = write_plan(project, WHEEL, CONTENTS, [], ["src/train.py"])
    command = [sys.executable, "-c", KILLED, str(finished), json.dumps(asdict(plan))]
    assert subprocess.run(command, cwd=project, check=False).returncode == -signal.SIGKILL
    assert files(project) not in (BEFORE, AFTER)
    found = unfinished(project)
    assert found is not None
    assert found.conflicts == ["src/train.py"]
    put_in_place(project, found)
    assert files(project) == AFTER


def test_undone_by_git_nothing_is_left_to_finish(project: Path) -> None:
    plan = write_plan(project, WHEEL, CONTENTS, [], [])
    put_in_place(project, plan)
    write_plan(project, WHEEL, CONTENTS, [], [])
    git(project, "checkout", ".")
    git(project, "clean", "-fdq")
    assert files(project) == BEFORE
    assert unfinished(project) is None
    assert not (project / FOLDER).exists()


def test_half_of_it_committed_it_is_finished_too(project: Path) -> None:
    write_plan(project, WHEEL, CONTENTS, [], [])
    (project / "Makefile").write_bytes(b"new\n")
    git(project, *WHO, "commit", "--quiet", "--all", "--message", "Half of it")
    found = unfinished(project)
    assert found is not None
    put_in_place(project, found)
    assert files(project) == AFTER


def test_an_edit_in_between_is_not_overwritten(project: Path) -> None:
    write_plan(project, WHEEL, CONTENTS, [], [])
    (project / "Makefile").write_text("edited\n")
    with pytest.raises(CrivoError, match=r"Makefile is changed since then"):
        unfinished(project)
    assert (project / "Makefile").read_text() == "edited\n"


@pytest.mark.parametrize("path", ["own.py", "untracked.py"])
def test_a_workspace_with_changes_is_refused(project: Path, path: str) -> None:
    require_clean(project)
    (project / path).write_text("mine\n")
    with pytest.raises(CrivoError, match=f"{path} is not as in the last commit"):
        require_clean(project)


def test_in_a_folder_of_a_larger_repository_paths_are_the_project_s(project: Path) -> None:
    (project / "src/new.py").write_text("")
    assert changed_files(project / "src") == ["new.py"]


def test_a_wheel_in_the_project_would_be_deleted_by_the_undoing(project: Path) -> None:
    wheel = project / WHEEL.name
    wheel.write_bytes(WHEEL.content)
    with pytest.raises(CrivoError, match="give it from another folder"):
        require_clean(project, wheel)
