"""`crivo prune`: what goes and stays, that it counts on everywhere, and that it can be undone."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from typing import Any

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from crivo.comparison import pruning as pruning_module
from crivo.comparison.compare import compare
from crivo.comparison.incumbent import set_incumbent
from crivo.comparison.pruning import Selection, plan_pruning, prune
from crivo.comparison.restoring import undo_pruning
from crivo.core.errors import CrivoError
from crivo.records.history import read_history
from crivo.records.noted import add_note
from tests.crivo.experiments.prunable import answers, keep_rates, kept, names, remove, variant
from tests.crivo.experiments.repository import (
    Project,
    evaluation_files,
    spread,
)
from tests.crivo.experiments.tried import GOOD, TEST

ALL = Selection(("*",))


def test_experiments_go_by_name_age_and_verdict(prunable: Project) -> None:
    verdicts = compare().table["verdict"]
    better = [name for name, verdict in verdicts.items() if verdict == "undecided"]

    def going(**selection: Any) -> set[str]:
        return {one.name for one in plan_pruning(Selection(**selection)).removed}

    assert going(patterns=("trial-[12]",)) == {"trial-1", "trial-2"}
    assert going(verdicts=("undecided",)) == set(better) != set()
    assert going(patterns=("trial-1", "good"), verdicts=("worse",)) == set()
    second = read_history().find("trial-2").origin.when
    assert going(before=second) == {"trial-1", "trial-2"}
    assert going(before=datetime(2000, 1, 1, tzinfo=UTC)) == set()


def test_experiments_go_by_the_search_that_made_them(prunable: Project) -> None:
    keep_rates(read_history())
    plan = plan_pruning(Selection(searches=("rates",)))
    assert [one.name for one in plan.removed] == ["trial-2"]
    with pytest.raises(CrivoError, match="No experiment belongs to a search 'others'; there is: r"):
        plan_pruning(Selection(searches=("others",)))


def on_a_branch(prunable: Project) -> None:
    prunable.git("branch", "keep", read_history().find("good").origin.revision)


def its_result_on_a_branch(prunable: Project) -> None:
    prunable.commit(GOOD, ref="refs/heads/adopted", message="Adopt it")


def incumbent(prunable: Project) -> None:
    set_incumbent("good")


def confirmed(prunable: Project) -> None:
    about = {"settings": TEST, "split": "test", "rows": "t", "model": "m"}
    prunable.trial("good", {**GOOD, **evaluation_files({"roc_auc": spread(0.7)}, model="m")})
    prunable.trial("good-test", evaluation_files({"roc_auc": spread(0.7)}, **about))


def noted(prunable: Project) -> None:
    add_note("good", "why?", prunable.folder)


def shared(prunable: Project) -> None:
    prunable.git("init", "--quiet", "--bare", "../there.git")
    prunable.git("remote", "add", "origin", "../there.git")
    ref = prunable.git("for-each-ref", "--format=%(refname)", "refs/exps/**/good")
    prunable.git("push", "--quiet", "origin", f"{ref}:{ref}")


def started_from(prunable: Project) -> None:
    revision = read_history().find("good").origin.revision
    prunable.trial("child", variant(7), parent=revision)


@pytest.mark.parametrize(
    ("keep", "reason"),
    [
        (on_a_branch, "on a branch or tag"),
        (its_result_on_a_branch, "adopted"),
        (incumbent, "the incumbent"),
        (confirmed, "confirmed"),
        (noted, "noted"),
        (shared, "shared"),
    ],
)
def test_what_others_rest_on_is_kept(prunable: Project, keep: Any, reason: str) -> None:
    keep(prunable)
    plan = plan_pruning(ALL)
    assert reason in kept(plan)["good"]
    assert "good" not in {one.name for one in plan.removed}
    assert len(plan.removed) == 3


def test_what_a_remaining_experiment_was_started_from_is_kept(prunable: Project) -> None:
    started_from(prunable)
    plan = plan_pruning(Selection(("good", "trial-*")))
    assert kept(plan) == {"good": "child was started from it"}
    assert {one.name for one in plan_pruning(Selection(("good", "child"))).removed} == {
        "good",
        "child",
    }


def test_a_remote_that_is_silent_is_named(prunable: Project) -> None:
    prunable.git("remote", "add", "origin", "../nowhere.git")
    plan = plan_pruning(ALL)
    assert "origin can't be asked now" in plan.notes[0]
    assert len(plan.removed) == 4


def test_an_undo_leaves_experiments_that_have_the_name_now(prunable: Project) -> None:
    remove(Selection(("trial-*",)), prunable.folder)
    prunable.trial("trial-1", variant(9))
    undone = undo_pruning()
    assert (undone.taken, set(undone.restored)) == (("trial-1",), {"trial-2", "trial-3"})
    with pytest.raises(CrivoError, match="Nothing came back: there are other experiments"):
        undo_pruning()


def elsewhere(prunable: Project) -> None:
    """Have another clone remove two experiments, and fetch what it knows of that."""
    there = prunable.folder.with_name("there")
    shutil.copytree(prunable.folder, there, symlinks=True)
    remove(Selection(("trial-[23]",)), there)
    prunable.git("fetch", "--quiet", str(there), "refs/crivo/*:refs/crivo/*")
    refs = prunable.git("for-each-ref", "--format=delete %(refname)", "refs/exps/**/trial-[23]")
    prunable.git("update-ref", "--stdin", given=refs + "\n")


def test_an_undo_brings_back_what_this_clone_removed(prunable: Project) -> None:
    remove(Selection(("trial-1",)), prunable.folder)
    elsewhere(prunable)
    undone = undo_pruning()
    assert (undone.restored, set(undone.others)) == (("trial-1",), {"trial-2", "trial-3"})
    with pytest.raises(CrivoError, match=r"trial-3 and so on \(2 in all\) were removed in another"):
        undo_pruning()
    undone = undo_pruning(("trial-[2]", "nobody"))
    assert (undone.restored, undone.others) == (("trial-2",), ("trial-3",))
    assert names(prunable.folder) == {"good", "trial-1", "trial-2"}


def test_a_named_experiment_comes_back_from_an_older_removal(prunable: Project) -> None:
    remove(Selection(("trial-1",)), prunable.folder)
    remove(Selection(("trial-2",)), prunable.folder)
    assert "Restored 1 experiment with metrics: trial-1." in run("--undo", "trial-1").output
    assert undo_pruning().restored == ("trial-2",)


STEPS = ("keep_trials", "keep_removed", "count_removed", "remove")


@pytest.mark.parametrize("last", STEPS)
def test_a_kill_between_two_steps_leaves_nothing_half_removed(
    prunable: Project, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    before = answers(prunable.folder)
    plan = plan_pruning(Selection(("trial-*",)))
    step = getattr(pruning_module, last)

    def killed(*arguments: Any) -> None:
        step(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(pruning_module, last, killed)
    with pytest.raises(KeyboardInterrupt):
        prune(plan)
    monkeypatch.undo()
    monkeypatch.chdir(prunable.folder)
    assert names(prunable.folder) in ({"good"}, {"good", "trial-1", "trial-2", "trial-3"})
    assert answers(prunable.folder) == before
    remove(Selection(("trial-*",)), prunable.folder) if last != "remove" else None
    assert names(prunable.folder) == {"good"}
    assert answers(prunable.folder) == before
    undo_pruning()
    assert len(names(prunable.folder)) == 4


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["prune", *arguments])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Say which experiments to remove"),
        (["--verdict", "wrose"], "--verdict is 'wrose'; expected one of better, worse"),
        (["--undo", "trial-1"], "No removed experiment is called trial-1"),
        (["--undo", "--dry-run"], "leave the other options out"),
        (["--older-than", "long"], "'long' isn't a time"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    prunable: Project, arguments: list[str], words: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert words in result.output
    assert len(names(prunable.folder)) == 4
