"""`crivo prune`: what goes and stays, what is undone, what others do meanwhile, and kills."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from crivo.comparison import pruning
from crivo.comparison.choice import Filters
from crivo.comparison.incumbent import set_incumbent
from crivo.comparison.pruning import Pruned, plan_pruning, prune, undo_pruning
from crivo.core.errors import CrivoError
from crivo.records.counted import FILE
from crivo.records.noted import remark
from tests.crivo.experiments.repository import (
    Project,
)
from tests.crivo.experiments.tried import answers, names, remove, variant

TRIALS = Filters(patterns=("trial-*",))


def kept(found: Pruned) -> dict[str, str]:
    """Return why experiments that were selected stay, by name."""
    return {one.name: one.reason for one in found.kept}


def incumbent(prunable: Project) -> None:
    set_incumbent("good")


def noted(prunable: Project) -> None:
    remark("good", "note", "why?", prunable.folder)


def shared(prunable: Project) -> None:
    prunable.git("init", "--quiet", "--bare", "../there.git")
    prunable.git("remote", "add", "origin", "../there.git")
    ref = prunable.git("for-each-ref", "--format=%(refname)", "refs/exps/**/good")
    prunable.git("push", "--quiet", "origin", f"{ref}:{ref}")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (incumbent, "the incumbent"),
        (noted, "noted"),
        (shared, "shared"),
    ],
)
def test_what_others_rest_on_is_kept(prunable: Project, change: Any, reason: str) -> None:
    selection = Filters(patterns=("good", "trial-*"))
    before = plan_pruning(selection)
    assert len(before.removed) == 4
    change(prunable)
    found = plan_pruning(selection)
    assert reason in kept(found)["good"]
    assert {one.name for one in found.removed} == {"trial-1", "trial-2", "trial-3"}


def test_an_undo_leaves_experiments_that_have_the_name_now(prunable: Project) -> None:
    remove(TRIALS.patterns, prunable.folder)
    prunable.trial("trial-1", variant(9))
    undone = undo_pruning()
    assert (undone.taken, set(undone.restored)) == (("trial-1",), {"trial-2", "trial-3"})
    with pytest.raises(CrivoError, match="Nothing was restored: there are other experiments"):
        undo_pruning()


def elsewhere(prunable: Project) -> None:
    """Have another clone remove two experiments, and fetch what it knows of that."""
    there = prunable.folder.with_name("there")
    shutil.copytree(prunable.folder, there, symlinks=True)
    remove(("trial-[23]",), there)
    prunable.git("fetch", "--quiet", str(there), "refs/crivo/*:refs/crivo/*")
    refs = prunable.git("for-each-ref", "--format=delete %(refname)", "refs/exps/**/trial-[23]")
    prunable.git("update-ref", "--stdin", given=refs + "\n")
    shutil.copy(there / FILE, prunable.folder / FILE)


def test_an_undo_brings_back_what_this_clone_removed(prunable: Project) -> None:
    remove(("trial-1",), prunable.folder)
    elsewhere(prunable)
    assert undo_pruning().restored == ("trial-1",)
    with pytest.raises(CrivoError, match="has removed no experiment in this clone"):
        undo_pruning()
    assert undo_pruning(("trial-[2]", "nobody")).restored == ("trial-2",)
    assert names(prunable.folder) == {"good", "trial-1", "trial-2"}


@pytest.mark.parametrize("last", ["keep_trials", "add", "count_on"])
def test_a_kill_between_two_steps_leaves_nothing_half_removed(
    prunable: Project, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    before = answers(prunable.folder)
    be_killed(monkeypatch, last, lambda: prune(plan_pruning(TRIALS)))
    assert names(prunable.folder) in ({"good"}, {"good", "trial-1", "trial-2", "trial-3"})
    assert answers(prunable.folder) == before
    remove(TRIALS.patterns, prunable.folder)
    assert names(prunable.folder) == {"good"}
    assert answers(prunable.folder) == before
    undo_pruning()
    assert len(names(prunable.folder)) == 4


def be_killed(monkeypatch: pytest.MonkeyPatch, last: str, work: Callable[[], object]) -> None:
    """Do something and be killed after one of its steps."""
    step = getattr(pruning, last)

    def killed(*arguments: Any) -> None:
        step(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(pruning, last, killed)
        with pytest.raises(KeyboardInterrupt):
            work()


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["prune", *arguments])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Say which experiments to remove"),
        (["--where", "verdict=wrose"], "--where verdict is 'wrose'; expected one of better, worse"),
        (["--undo", "--dry-run"], "leave the other options out"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    prunable: Project, arguments: list[str], words: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert words in result.output
    assert len(names(prunable.folder)) == 4
