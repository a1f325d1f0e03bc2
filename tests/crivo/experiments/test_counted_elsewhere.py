"""The answer of a colleague's clone, when the trials were shared with the experiment."""

from pathlib import Path

import pytest

from crivo.comparison.compare import compare
from crivo.records.history import keep_trials, read_history
from crivo.repository.git import open_repository
from crivo.repository.git_remote import SHARED, GitRemote
from tests.crivo.experiments.repository import (
    OTHER_WAY,
    Project,
    evaluation_files,
    settings,
    spread,
)

OPEN = settings(compare={})


def files(value: float, step: float = 0.002) -> dict[str, str]:
    return evaluation_files({"roc_auc": spread(value, step, OTHER_WAY)}, settings=OPEN)


@pytest.fixture
def clones(project: Project, tmp_path: Path) -> tuple[Project, Project]:
    """Give Ana's project, of whose trials one was removed, and a clone that knows the winner."""
    project.commit(evaluation_files({"roc_auc": spread(0.70)}, settings=OPEN))
    for place in range(4):
        project.trial(f"loser-{place}", files(0.69 + place / 1000))
    project.trial("winner", files(0.72))
    project.git("init", "--quiet", "--bare", "--initial-branch=main", str(tmp_path / "hub.git"))
    project.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    project.git("push", "--quiet", "origin", "main:refs/heads/main")
    keep_trials(read_history(project.folder))
    lost = read_history(project.folder).find("loser-0")
    parent = lost.origin.parent or ""
    project.git("update-ref", "-d", f"refs/exps/{parent[:2]}/{parent[2:]}/loser-0")
    git = GitRemote(open_repository(project.folder), "origin")
    ref = f"refs/exps/{parent[:2]}/{parent[2:]}/winner"
    git.send(ref, project.git("rev-parse", ref))
    assert git.send_trials() == 5
    assert git.send_trials() == 5
    project.git("clone", "--quiet", str(tmp_path / "hub.git"), str(tmp_path / "bob"))
    bob = Project(tmp_path / "bob")
    bob.git("fetch", "--quiet", "origin", f"{ref}:{ref}")
    return project, bob


def test_with_the_trials_it_is_the_same_answer(clones: tuple[Project, Project]) -> None:
    _, bob = clones
    bob.git("fetch", "--quiet", "origin", SHARED)
    here, there = (compare(["winner"], folder=one.folder) for one in clones)
    assert "trial 5 of 5" in here.answer
    assert there.answer == here.answer
    assert there.notes == here.notes


def test_without_them_a_sentence_says_what_to_fetch(clones: tuple[Project, Project]) -> None:
    _, bob = clones
    found = compare(["winner"], folder=bob.folder)
    assert "trial 1 of 1" in found.answer
    assert f"`git fetch origin '{SHARED}'` fetches those that were shared" in " ".join(found.notes)
