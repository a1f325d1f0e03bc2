"""An experiment that ran in a clone of the workspace is brought home, or why not is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.experiments import sandbox
from crivo.experiments.sandbox import workspace_sandbox
from crivo.repository.git import open_repository
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.untouched import state_of
from tests.crivo.experiments.workspaces import write


def commands(monkeypatch: pytest.MonkeyPatch, home: Project, *, during: str = "") -> list[str]:
    """Let DVC record an experiment at once; `during` is recorded in the project meanwhile."""
    seen: list[str] = []

    def run(command: list[str], folder: Path, environment: object) -> object:
        seen.extend(command)
        name = command[command.index("--name") + 1]
        if during:
            home.trial(during, {"a": "theirs"})
        record(folder, name)
        return sandbox.subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(sandbox, "show_dvc", run)
    return seen


def record(folder: Path, name: str) -> None:
    """Record the index of a clone as an experiment."""
    clone = open_repository(folder)
    head = clone.commit("HEAD") or ""
    commit = clone.git("commit-tree", clone.git("write-tree").strip(), "-p", head, "-m", "x")
    clone.git("update-ref", f"refs/exps/{head[:2]}/{head[2:]}/{name}", commit.strip())


def test_a_new_trial_is_recorded_on_the_commit_that_is_checked_out(
    mine: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = commands(monkeypatch, mine)
    write(mine.folder / "code.py", "two\n")
    home, before = open_repository(mine.folder), state_of(mine.folder)
    head = home.commit("HEAD") or ""
    with workspace_sandbox(home, head) as place:
        ref = place.run("slow", ["a=2"], "Slower", live_output=True)
        folder = place.folder
    assert seen == ["exp", "run", "--name", "slow", "--set-param", "a=2", "--message", "Slower"]
    assert mine.git("show", f"{ref}:code.py") == "two"
    assert mine.git("rev-parse", f"{ref}^") == head
    assert state_of(mine.folder) == before
    assert not folder.exists()


def test_a_name_that_was_taken_meanwhile_is_one_clear_sentence(
    mine: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands(monkeypatch, mine, during="slow")
    home = open_repository(mine.folder)
    with (
        workspace_sandbox(home, home.commit("HEAD") or "") as place,
        pytest.raises(CrivoError, match=r"Another experiment was recorded as slow .*--name"),
    ):
        place.run("slow", ["a=2"], live_output=True)
    assert mine.git("show", f"refs/exps/{place.base[:2]}/{place.base[2:]}/slow:a") == "theirs"


def test_a_failed_run_is_one_clear_sentence(mine: Project) -> None:
    home = open_repository(mine.folder)
    with (
        workspace_sandbox(home, home.commit("HEAD") or "") as place,
        pytest.raises(CrivoError, match="The trial slow failed; DVC says why above"),
    ):
        place.run("slow", ["no.such.key=2"], live_output=True)


def test_a_run_that_dvc_did_not_record_is_one_clear_sentence(
    mine: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DVC ends like that when the disk is full as it writes the experiment."""
    done = sandbox.subprocess.CompletedProcess([], 0, "", "")
    monkeypatch.setattr(sandbox, "show_dvc", lambda *_: done)
    home = open_repository(mine.folder)
    with (
        workspace_sandbox(home, home.commit("HEAD") or "") as place,
        pytest.raises(CrivoError, match="slow ran, but DVC didn't record it"),
    ):
        place.run("slow", ["a=2"], live_output=True)
