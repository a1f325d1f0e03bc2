"""Trials in one checkout: each as in a fresh one, what is known isn't computed again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.repository.clones import clone_of_workspace, share_cache
from crivo.repository.git import open_repository
from crivo.repository.trial_run import StageFailed, TrialRun
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.untouched import state_of

pytestmark = pytest.mark.pipeline

RATE = "models.boosting.learning_rate"


class Trials:
    """A checkout of a project, what its trials printed, and the trees that they recorded."""

    def __init__(self, toy: Project, place: Path, printed: pytest.CaptureFixture[str]) -> None:
        home = open_repository(toy.folder)
        clone = clone_of_workspace(home, place, home.commit("HEAD") or "")
        share_cache(home, clone, changed_data=True)
        self.run = TrialRun(clone)
        self.printed, self.said = printed, ""

    def tree(self, *changes: str) -> str:
        self.printed.readouterr()
        try:
            ref = self.run.run(changes, "trial", "")
        finally:
            self.said = self.printed.readouterr().out
        return self.run.checkout.git("ls-tree", "-r", ref)

    @property
    def ran(self) -> list[str]:
        return re.findall("Running stage '(.*)'", self.said)


@pytest.fixture
def trials(toy: Project, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Trials]:
    before = state_of(toy.folder)
    one = Trials(toy, tmp_path / "checkout", capfd)
    yield one
    one.run.close()
    assert state_of(toy.folder) == before


def test_a_trial_is_the_same_after_others_and_after_a_failed_one(
    toy: Project, trials: Trials, tmp_path: Path
) -> None:
    fresh = Trials(toy, tmp_path / "fresh", trials.printed)
    trials.tree(f"{RATE}=0.3")
    with pytest.raises(StageFailed, match="the stage train failed"):
        trials.tree("seed=666")
    assert "an unlucky seed\n" in trials.said
    later = trials.tree(f"{RATE}=0.2")
    assert later == fresh.tree(f"{RATE}=0.2")
    fresh.run.close()


def test_what_is_known_is_not_computed_again(trials: Trials) -> None:
    assert trials.tree() == trials.run.checkout.git("ls-tree", "-r", "HEAD")
    assert trials.ran == []
    trials.tree(f"{RATE}=0.2")
    assert trials.ran == ["train", "evaluate"]
    trials.tree(f"{RATE}=0.2", "evaluate.split=test")
    assert trials.ran == ["evaluate"]


def test_a_wrong_setting_is_one_clear_sentence_before_anything_runs(trials: Trials) -> None:
    with pytest.raises(CrivoError, match=r"^no\.such\.key: params.yaml has no such setting"):
        trials.tree("no.such.key=2")
    assert trials.said == ""
