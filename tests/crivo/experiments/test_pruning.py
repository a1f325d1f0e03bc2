"""`crivo prune`: what goes and stays, what is undone, and that removed trials go on to count."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from crivo.commands import prune as asking
from crivo.comparison import pruning
from crivo.comparison.choice import Filters
from crivo.comparison.compare import compare
from crivo.comparison.incumbent import set_incumbent
from crivo.comparison.pruning import Pruned, plan_pruning, prune, undo_pruning
from crivo.core.errors import CrivoError
from crivo.records.counted import FILE, read_counted
from crivo.records.history import read_history
from crivo.records.noted import remark
from tests.crivo.experiments.repository import Project, evaluated, settings
from tests.crivo.experiments.tried import GOOD, answers, names, remove, variant

TRIALS = Filters(patterns=("trial-*",))


def kept(found: Pruned) -> dict[str, str]:
    """Return why experiments that were selected stay, by name."""
    return {one.name: one.reason for one in found.kept}


def share(prunable: Project) -> None:
    prunable.git("init", "--quiet", "--bare", "../there.git")
    prunable.git("remote", "add", "origin", "../there.git")
    ref = prunable.git("for-each-ref", "--format=%(refname)", "refs/exps/**/good")
    prunable.git("push", "--quiet", "origin", f"{ref}:{ref}")


LOOK = {**evaluated(0.7, split="test"), "dvc.lock": GOOD["dvc.lock"]}
REASONS: dict[str, Callable[[Project], Any]] = {
    "the incumbent": lambda _: set_incumbent("good"),
    "noted or starred": lambda _: remark("good", "note", "why?"),
    "shared": share,
    "on a branch or tag": lambda one: one.git(
        "tag", "v1", one.git("for-each-ref", "refs/exps/**/good")[:40]
    ),
    "its result is on main": lambda one: one.commit(GOOD, parent=one.head()),
    "confirmed on the test rows": lambda one: one.trial("look", LOOK),
}


@pytest.mark.parametrize("reason", REASONS)
def test_what_others_rest_on_is_kept(prunable: Project, reason: str) -> None:
    selection = Filters(patterns=("good", "trial-*"))
    before = plan_pruning(selection)
    assert (len(before.removed), before.notes) == (4, ())
    REASONS[reason](prunable)
    found = plan_pruning(selection)
    assert kept(found) == {"good": reason}
    assert {one.name for one in found.removed} == {"trial-1", "trial-2", "trial-3"}
    assert (found.done, found.left) == (False, 1 + ("test rows" in reason))
    look = plan_pruning(Filters(patterns=("look",))) if "test rows" in reason else None
    assert look is None or kept(look) == {"look": "an evaluation on the test rows"}
    prunable.git("remote", "add", "gone", "../nowhere.git")
    assert plan_pruning(selection).notes[0].startswith("gone can't be reached: experiments that")


@pytest.mark.parametrize(
    ("answer", "end", "left"),
    [("n", "Nothing was removed.\n", 4), ("y", "Removed experiments: 1. They still count", 3)],
)
def test_on_a_terminal_it_asks_first(
    prunable: Project, monkeypatch: pytest.MonkeyPatch, answer: str, end: str, left: int
) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(asking, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    done = CliRunner().invoke(app, ["prune", "good"], input=f"{answer}\n")
    first = f"1 experiment to remove; 3 stay:\n  good\nRemove them? [y/N]: {answer}\n"
    assert done.output.startswith(first + end)
    assert (done.exit_code, len(names(prunable.folder))) == (answer == "n", left)


def test_an_undo_leaves_experiments_that_have_the_name_now(prunable: Project) -> None:
    remove(("good",), prunable.folder)
    remove(TRIALS.patterns, prunable.folder)
    prunable.trial("trial-1", variant(9))
    undone = undo_pruning()
    assert (undone.taken, set(undone.restored)) == (("trial-1",), {"trial-2", "trial-3"})
    assert undo_pruning().restored == ("good",)
    with pytest.raises(CrivoError, match="Nothing was restored: other experiments from"):
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
    with pytest.raises(CrivoError, match="nothing to undo: no experiment is missing"):
        undo_pruning()
    assert names(prunable.folder) == {"good", "trial-1"}


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


def test_points_of_a_learning_curve_count_nowhere(prunable: Project) -> None:
    part = settings(train__fraction=0.5)
    prunable.trial("part", evaluated(0.72, 0.001, settings=part))
    remove(("part",), prunable.folder)
    assert not FILE.exists()
    remove(("trial-1",), prunable.folder)
    assert sorted(one.name for one in read_history().removed) == ["part", "trial-1"]
    assert [one.name for one in read_counted(prunable.folder)] == ["trial-1"]


def test_a_plan_holds_although_its_first_trial_is_gone(prunable: Project, tmp_path: Path) -> None:
    planned = compare(["good"]).planned_trials
    assert planned == 1
    remove(("trial-1",), prunable.folder)
    for ref in prunable.git("for-each-ref", "--format=%(refname)", "refs/crivo").splitlines():
        prunable.git("update-ref", "-d", ref)
    found = compare(["good"])
    assert found.planned_trials == planned
    assert (
        "good is the best of 4 models on these rows (1 more can't be compared)." in found.notes[0]
    )


def test_the_table_that_counts_merges_and_says_when_it_cannot_be_read(prunable: Project) -> None:
    remove(("trial-1",), prunable.folder)
    one = FILE.read_text()
    undo_pruning()
    remove(("trial-2",), prunable.folder)
    head, *rows = one.splitlines(keepends=True)
    FILE.write_text(FILE.read_text() + "".join(rows + rows))
    assert [one.name for one in read_counted(prunable.folder)] == ["trial-1", "trial-2"]
    FILE.write_text(f"<<<<<<< HEAD\n{head}{rows}")
    with pytest.raises(CrivoError, match="it counts trials, so restore it"):
        read_history()


def test_two_branches_that_removed_trials_merge_by_themselves(prunable: Project) -> None:
    # With it, git's union of two tables has the header twice.
    prunable.git("config", "merge.conflictStyle", "diff3")
    attributes = Path(__file__).parents[3] / ".gitattributes"
    (prunable.folder / ".gitattributes").write_bytes(attributes.read_bytes())
    prunable.git("add", ".gitattributes")
    prunable.git("commit", "--quiet", "--message", "Start")
    for name in ("trial-1", "trial-2"):
        prunable.git("checkout", "--quiet", "-b", name, "main")
        remove((name,), prunable.folder)
        prunable.git("add", "metrics/trials.csv")
        prunable.git("commit", "--quiet", "--message", name)
    prunable.git("merge", "--quiet", "--message", "Merge", "trial-1")
    assert {one.name for one in read_counted(prunable.folder)} == {"trial-1", "trial-2"}
