"""`crivo prune` while others work: what changed after the plan was shown, and kills."""

from __future__ import annotations

from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from crivo.cli import app
from crivo.commands import prune as command
from crivo.comparison import restoring
from crivo.comparison.pruning import Selection, plan_pruning, prune
from crivo.comparison.restoring import undo_pruning
from crivo.records.counted import FILE
from crivo.repository.removed import PRUNED
from tests.crivo.experiments.prunable import answers, kept, names, remove, variant
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.test_pruning import (
    confirmed,
    incumbent,
    its_result_on_a_branch,
    noted,
    on_a_branch,
    shared,
    started_from,
)

ALL = Selection(("good", "trial-*"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (on_a_branch, "on a branch or tag"),
        (its_result_on_a_branch, "adopted"),
        (incumbent, "the incumbent"),
        (confirmed, "somebody removed or replaced it"),
        (noted, "noted"),
        (shared, "shared"),
        (started_from, "child was started from it"),
    ],
)
def test_what_others_rest_on_since_the_plan_is_kept(
    prunable: Project, change: Any, reason: str
) -> None:
    plan = plan_pruning(ALL)
    assert len(plan.removed) == 4
    change(prunable)
    done = prune(plan)
    assert reason in kept(done)["good"]
    assert {one.name for one in done.removed} == {"trial-1", "trial-2", "trial-3"}
    assert "good" in names(prunable.folder)


def test_what_somebody_else_removed_meanwhile_is_passed_over(prunable: Project) -> None:
    plan = plan_pruning(ALL)
    remove(Selection(("trial-1",)), prunable.folder)
    done = prune(plan)
    assert kept(done) == {"trial-1": "somebody removed or replaced it meanwhile"}
    assert names(prunable.folder) == set()
    undo_pruning()
    assert names(prunable.folder) == {"good", "trial-2", "trial-3"}


@pytest.mark.parametrize(
    ("pattern", "removed"), [("*", "Removed 3."), ("good", "Nothing was removed.")]
)
def test_the_command_says_what_it_kept_after_its_question(
    prunable: Project, monkeypatch: pytest.MonkeyPatch, pattern: str, removed: str
) -> None:
    def answered(_: str) -> bool:
        noted(prunable)
        return True

    monkeypatch.setattr(typer, "confirm", answered)
    monkeypatch.setattr(command, "_on_a_terminal", lambda: True)
    result = CliRunner().invoke(app, ["prune", pattern])
    assert "Kept, as this changed since the list:\n  good: noted or starred" in result.output
    assert removed in result.output
    assert "good" in names(prunable.folder)


@pytest.mark.parametrize("last", ["restore", "uncount", "forget"])
def test_a_kill_within_an_undo_leaves_it_to_be_run_again(
    prunable: Project, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    before = answers(prunable.folder)
    remove(Selection(("trial-*",)), prunable.folder)
    step = getattr(restoring, last)

    def killed(*arguments: Any) -> None:
        step(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(restoring, last, killed)
    with pytest.raises(KeyboardInterrupt):
        undo_pruning()
    monkeypatch.undo()
    monkeypatch.chdir(prunable.folder)
    assert answers(prunable.folder) == before
    if last != "forget":
        undo_pruning()
    assert len(names(prunable.folder)) == 4
    assert not prunable.git("for-each-ref", PRUNED)
    assert FILE.read_text().count("\n") == 1
    assert answers(prunable.folder) == before
    prunable.trial("after", variant(5))
    assert answers(prunable.folder)[0] == before[0] + 1
