"""Git remotes are asked without a human who answers."""

import os
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.repository.git import open_repository
from crivo.repository.git_remote import remotes, shared_experiments
from tests.crivo.experiments.repository import Project


def test_ssh_asks_for_no_password_unless_the_user_has_a_command_of_their_own(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.commit({"a": "1"})
    project.git("remote", "add", "far", "ssh://nowhere/x")
    for name in ("ssh", "own"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text('#!/bin/sh\necho "$@ $GIT_TERMINAL_PROMPT" >"$0.told"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("GIT_SSH_COMMAND", raising=False)
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")

    def asked(name: str) -> str:
        (far,) = remotes(open_repository(project.folder))
        with pytest.raises(CrivoError, match=r"^The git remote far can't be used: "):
            far.references()
        return (tmp_path / f"bin/{name}.told").read_text()

    told = asked("ssh")
    assert told.startswith("-o BatchMode=yes -o ConnectTimeout=10 ")
    assert told.endswith(" 0\n")
    project.git("config", "core.sshCommand", "own -v")
    assert asked("own").startswith("-v ")
    monkeypatch.setenv("GIT_SSH_COMMAND", "own -q")
    assert asked("own").startswith("-q ")
    note = "far can't be reached: experiments that are shared there stay there, and may be removed "
    assert shared_experiments(open_repository(project.folder)) == (frozenset(), f"{note}here.")
