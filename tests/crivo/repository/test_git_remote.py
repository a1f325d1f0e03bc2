"""Sending references to a git remote."""

import shlex
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.repository import git_remote
from crivo.repository.commits import KEPT
from crivo.repository.git import Repository
from crivo.repository.git_remote import GitRemote
from tests.crivo.pipeline.project import Project

REF = f"{KEPT}/trial"
# git runs it before it sets a reference: another push has set it by then.
ANOTHER = '#!/bin/sh\ngit update-ref "$1" "$3"\n'


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRemote:
    """Give the remote of a clone that has one reference to send."""
    monkeypatch.setattr(git_remote, "PAUSE", 0.0)
    clone = Project(tmp_path / "clone")
    clone.folder.mkdir()
    clone.git("init", "--quiet", "--bare", "../hub")
    clone.git("init", "--quiet")
    clone.git("remote", "add", "origin", "../hub")
    clone.git("commit", "--quiet", "--allow-empty", "--message", "one")
    clone.git("update-ref", REF, "HEAD")
    return GitRemote(Repository(clone.folder), "origin")


def hook(remote: GitRemote, text: str) -> None:
    place = remote.repository.top.parent / "hub/hooks/update"
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)
    place.chmod(0o755)


def test_another_push_of_the_same_does_no_harm_and_a_refusal_is_not_asked_again(
    remote: GitRemote, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    hook(remote, f"#!/bin/sh\necho once >> {shlex.quote(str(asked))}\nexit 1\n")
    with pytest.raises(CrivoError, match="origin can't be used"):
        remote.send_trials()
    assert asked.read_text() == "once\n"
    hook(remote, ANOTHER)
    assert remote.send_trials() == 1
    assert remote.has(REF, remote.repository.git("rev-parse", "HEAD").strip())
