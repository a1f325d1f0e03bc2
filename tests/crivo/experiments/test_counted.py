"""Trials that were removed go on to count: here with their numbers, elsewhere by a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from crivo.comparison.compare import compare
from crivo.comparison.incumbent import set_incumbent
from crivo.comparison.pruning import undo_pruning
from crivo.core.errors import CrivoError
from crivo.records.counted import FILE, read_counted
from crivo.records.history import read_history
from tests.crivo.experiments.repository import (
    Project,
    evaluation_files,
    settings,
    spread,
)
from tests.crivo.experiments.tried import answers, names, remove, variant

# What a clone of git knows besides branches and tags.
REFS = "refs/exps/*:refs/exps/*"


def test_a_fresh_clone_counts_the_same_trials(prunable: Project, tmp_path: Path) -> None:
    prunable.trial("same-recipe", evaluation_files({"roc_auc": spread(0.71)},
                                                  settings=settings(seed=2)))  # fmt: skip
    prunable.trial("other-rows", variant(5, rows="r2", sample=["a", "b"]))
    set_incumbent("trial-2")
    prunable.git("add", "metrics/incumbent.json")
    numbers = answers(prunable.folder)
    before = numbers[0]
    gone = ("trial-1", "trial-3", "same-recipe", "other-rows")
    remove(gone, prunable.folder)
    assert answers(prunable.folder) == numbers
    prunable.git("add", "metrics/trials.csv")
    prunable.git("commit", "--quiet", "--message", "Remove trials")
    clone = Project(tmp_path / "clone")
    clone.git("remote", "add", "origin", str(prunable.folder))
    clone.git("fetch", "--quiet", "origin", REFS, "refs/heads/main:refs/heads/here")
    clone.git("checkout", "--quiet", "here")
    assert names(clone.folder) == {"good", "trial-2"}
    assert answers(clone.folder)[0] == before == answers(prunable.folder)[0]
    row, own = (compare(["good"], folder=one.folder).table.loc["good"] for one in (clone, prunable))
    assert (row["trial"], row["spent"], row["left"]) == (own["trial"], own["spent"], own["left"])
    # What isn't known of the others' numbers asks for more, never for less.
    width = row["difference_high"] - row["difference_low"]
    assert width >= own["difference_high"] - own["difference_low"] - 1e-12


def test_points_of_a_learning_curve_count_nowhere(prunable: Project) -> None:
    part = settings(train__fraction=0.5)
    prunable.trial("part", evaluation_files({"roc_auc": spread(0.72, 0.001)}, settings=part))
    remove(("part",), prunable.folder)
    assert not FILE.exists()
    remove(("trial-1",), prunable.folder)
    assert [one.name for one in read_counted(prunable.folder)] == ["trial-1"]


def test_a_plan_holds_although_its_first_trial_is_gone(prunable: Project, tmp_path: Path) -> None:
    planned = compare(["good"]).planned_trials
    assert planned == 1
    remove(("trial-1",), prunable.folder)
    for ref in prunable.git("for-each-ref", "--format=%(refname)", "refs/crivo").splitlines():
        prunable.git("update-ref", "-d", ref)
    assert compare(["good"]).planned_trials == planned


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
