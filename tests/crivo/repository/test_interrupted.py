"""What a stopped DVC or git has left is said, with the commands that repair it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crivo.repository import interrupted
from crivo.repository.interrupted import QUEUE, left_behind

NOBODY = 2**22 + 1  # beyond the greatest number that Linux gives a process
HOUR = 3600


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a project with a changed file and a staged one, where DVC has run experiments."""
    folder = tmp_path / "project"
    (folder / ".dvc/tmp/exps").mkdir(parents=True)
    (folder / ".gitignore").write_text(".dvc\n")
    (folder / "code.py").write_text("old\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "Ana"), ("user.email", "ana@example.org")):
        git(folder, "config", key, value)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Start")
    (folder / "code.py").write_text("mine\n")
    (folder / "new.py").write_text("mine\n")
    git(folder, "add", "new.py")
    monkeypatch.chdir(folder)
    return folder


def mine(folder: Path) -> bool:
    """Whether the changes are there, what was staged still is, and the branch is checked out."""
    files = {
        (folder / name).read_text() for name in ("code.py", "new.py") if (folder / name).exists()
    }
    states = git(folder, "status", "--porcelain").splitlines()
    head = git(folder, "symbolic-ref", "HEAD").strip()
    return (files, states, head) == ({"mine\n"}, [" M code.py", "A  new.py"], "refs/heads/main")


def put_aside(folder: Path) -> None:
    """Put the changes aside as DVC does when it starts an experiment."""
    from scmrepo.git import Git

    scm = Git(str(folder))
    scm.stash.push()
    scm.close()


def note(folder: Path, pid: int, *, what: str = "workspace", name: str = "exps/rwlock") -> Path:
    """Note that a process works on something, as DVC does."""
    path = folder / ".dvc/tmp" / name
    path.write_text(json.dumps({"read": {}, "write": {what: {"pid": pid, "cmd": "dvc exp run"}}}))
    return path


def lock_index(folder: Path, *, age: float = HOUR) -> Path:
    lock = folder / ".git/index.lock"
    lock.touch()
    os.utime(lock, (time.time() - age,) * 2)
    return lock


def obey(folder: Path, said: str) -> None:
    """Run the commands that a warning gives."""
    commands = [one for one in re.findall("`([^`]+)`", said) if one.startswith(("git", "rm"))]
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr}"


def test_nothing_is_said_of_a_project_in_order(folder: Path) -> None:
    assert left_behind() == ""
    assert left_behind(folder.parent) == ""


def test_a_machine_without_git_is_left_to_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_aside(folder)
    monkeypatch.setenv("PATH", "")
    assert left_behind() == ""


def test_a_stash_of_one_s_own_is_not_spoken_of(folder: Path) -> None:
    git(folder, "stash")
    git(folder, "stash", "apply", "--index")
    git(folder, "stash", "push", "--message", "for later")
    note(folder, os.getpid())
    (folder / ".dvc/tmp/lock").write_text(f" {NOBODY}")
    assert left_behind() == ""


@pytest.mark.parametrize("noted", [True, False])
def test_changes_that_were_put_aside_come_back(folder: Path, noted: bool) -> None:
    """DVC forgets its note when it runs again; the stash stays."""
    put_aside(folder)
    if noted:
        note(folder, NOBODY)
    (folder / ".dvc/tmp/lock").write_text(f" {NOBODY}")
    assert not (folder / "new.py").exists()
    said = left_behind()
    assert said.startswith("DVC was stopped while it had put changes aside. They are in git's ")
    assert "`git stash pop --index`" in said
    obey(folder, said)
    assert mine(folder)
    assert left_behind() == ""


def test_changes_come_back_from_below_stashes_of_one_s_own(folder: Path) -> None:
    put_aside(folder)
    (folder / "code.py").write_text("other\n")
    git(folder, "stash")
    said = left_behind()
    assert '`git stash pop --index "stash@{1}"`' in said
    obey(folder, said)
    assert mine(folder)


def test_changes_come_back_to_a_folder_that_was_left_half_way(folder: Path) -> None:
    put_aside(folder)
    note(folder, NOBODY)
    git(folder, "checkout", "--quiet", "--detach")
    (folder / "code.py").write_text("")
    lock_index(folder)
    said = left_behind()
    assert (
        "`rm .git/index.lock && git switch main && git stash push && "
        'git stash pop --index "stash@{1}"`; what this folder holds now is then in the stash'
    ) in said
    obey(folder, said)
    assert mine(folder)
    assert git(folder, "stash", "list").count("\n") == 1


def test_a_branch_that_was_left_without_changes_is_named(folder: Path) -> None:
    git(folder, "reset", "--quiet", "--hard")
    git(folder, "checkout", "--quiet", git(folder, "rev-parse", "HEAD").strip())
    note(folder, NOBODY)
    said = left_behind()
    assert "no branch is checked out" in said
    assert "`git switch main`, then look at `git diff HEAD`" in said
    obey(folder, said)
    assert left_behind() == ""


def test_a_detached_head_of_one_s_own_is_not_spoken_of(folder: Path) -> None:
    git(folder, "checkout", "--quiet", "--detach")
    assert left_behind() == ""


def test_an_experiment_that_waits_to_be_run_is_named(folder: Path) -> None:
    git(folder, "update-ref", QUEUE, "HEAD")
    for pack in (False, True):
        if pack:
            git(folder, "pack-refs", "--all")
        said = left_behind()
        assert "before it ran an experiment. It is in refs/exps/stash" in said
    obey(folder, said)
    assert left_behind() == ""
    assert mine(folder)


@pytest.mark.parametrize("locks", [("exps/rwlock",), ("lock",), ("exps/rwlock", "lock")])
def test_a_dvc_that_runs_is_not_spoken_of(folder: Path, locks: tuple[str, ...]) -> None:
    """It holds either lock all the time that changes are put aside."""
    put_aside(folder)
    git(folder, "update-ref", QUEUE, "HEAD")
    if "exps/rwlock" in locks:
        note(folder, os.getpid())
    if "lock" in locks:
        (folder / ".dvc/tmp/lock").write_text(f" {os.getpid()}")
    assert left_behind() == ""


def test_a_process_that_got_the_number_of_a_dead_one_hides_nothing(folder: Path) -> None:
    put_aside(folder)
    for path in (note(folder, os.getpid()), folder / ".dvc/tmp/lock"):
        path.write_text(path.read_text() if path.exists() else f" {os.getpid()}")
        os.utime(path, (1, 1))
    assert "They are in git's stash" in left_behind()


def test_a_work_tree_of_git_has_its_own_lock_and_the_common_stash(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(folder, "worktree", "add", "--quiet", "-b", "side", "../side")
    lock = folder / ".git/worktrees/side/index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    put_aside(folder)
    (folder.parent / "side/.dvc/tmp/exps").mkdir(parents=True)
    monkeypatch.chdir(folder.parent / "side")
    said = left_behind()
    assert "worktrees/side/index.lock" in said
    assert "git's stash (stash@{0})" in said


# --- locks ------------------------------------------------------------------------------------


def test_a_lock_of_git_s_that_nobody_holds_is_named(folder: Path) -> None:
    lock = lock_index(folder)
    said = left_behind()
    assert said.startswith("git's index is locked by .git/index.lock, and no process of git's")
    obey(folder, said)
    assert not lock.exists()
    assert left_behind() == ""


def test_a_young_lock_of_git_s_is_not_spoken_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupted, "YOUNG", HOUR)
    lock_index(folder, age=0)
    assert left_behind() == ""


def test_a_lock_of_a_git_that_runs_is_not_spoken_of(folder: Path) -> None:
    lock_index(folder)
    command = ["git", "cat-file", "--batch"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE) as running:
        assert left_behind() == ""
        assert running.stdin is not None
        running.stdin.close()


@pytest.mark.parametrize("name", ["rwlock", "exps/rwlock"])
def test_a_lock_of_dvc_s_that_nobody_holds_is_named(folder: Path, name: str) -> None:
    path = note(folder, NOBODY, what="/data/x", name=name)
    said = left_behind()
    assert (
        said
        == f"DVC's lock .dvc/tmp/{name} names a process that no longer runs: `rm .dvc/tmp/{name}`."
    )
    obey(folder, said)
    note(folder, os.getpid(), what="/data/x", name=name)
    assert left_behind() == ""
    path.write_text('{"read": {}}')
    assert left_behind() == ""


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_lock_of_dvc_s_that_was_cut_off_is_named(folder: Path, text: str) -> None:
    (folder / ".dvc/tmp/rwlock").write_text(text)
    assert "rwlock can't be read: `rm .dvc/tmp/rwlock`" in left_behind()


def test_the_lock_file_that_dvc_leaves_each_time_is_not_spoken_of(folder: Path) -> None:
    (folder / ".dvc/tmp/lock").write_text(f" {NOBODY}\n")
    assert left_behind() == ""


def test_a_hard_linked_lock_is_named_when_nobody_works_here(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`core.hardlink_lock`: DVC removes it at the end, and would wait for it a year."""
    from dvc.lock import HardlinkLock

    HardlinkLock(str(folder / ".dvc/tmp/lock"), tmp_dir=str(folder / ".dvc/tmp")).lock()
    monkeypatch.setattr(interrupted, "YOUNG", HOUR)
    assert left_behind() == ""
    monkeypatch.setattr(interrupted, "YOUNG", -1)
    said = left_behind()
    assert "lock .dvc/tmp/lock is held by no process of DVC's: `rm .dvc/tmp/lock`" in said
    command = ["git", "cat-file", "--batch"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE) as running:
        assert left_behind() == ""
        assert running.stdin is not None
        running.stdin.close()


# --- the command line -------------------------------------------------------------------------


def test_every_command_says_it_once_on_stderr(folder: Path) -> None:
    from crivo.cli import app

    put_aside(folder)
    done = CliRunner().invoke(app, ["fetch", "nothing"])
    assert done.stderr.count("warning: DVC was stopped while it had put changes aside.") == 1
    assert "warning" not in done.stdout
    git(folder, "stash", "drop")
    assert CliRunner().invoke(app, ["fetch", "nothing"]).stderr == ""
