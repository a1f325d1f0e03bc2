"""Commands that read all experiments start git as often for many as for few."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crivo.comparison.board.values import board
from crivo.comparison.compare import compare
from crivo.comparison.pruning import Selection, plan_pruning, prune
from crivo.comparison.restoring import undo_pruning
from crivo.provenance import trace
from crivo.records.history import History, keep_trials, read_history
from crivo.records.noted import add_note
from crivo.records.searches import KeptSearch, KeptTrial, keep, searches
from crivo.repository import git
from crivo.repository.costs import keep_seconds, kept_seconds
from crivo.repository.git_remote import GitRemote
from crivo.repository.times import keep_times, kept_times
from crivo.trials.budget import used_so_far, usual_seconds
from crivo.trials.search.result import result_of
from crivo.trials.search.space import Space
from tests.crivo.experiments.prunable import variant
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import MAIN


def make(folder: Path, count: int) -> Project:
    """Return a project whose experiments each have a parent, a cost, times, a note, a search."""
    project = Project(folder)
    project.identify()
    head = project.commit(MAIN)
    project.git("reset", "--quiet", "--hard")
    (folder / ".dvc").mkdir()
    revisions = {}
    for number in range(count):
        head = project.commit({**MAIN, "notes.txt": str(number)}, parent=head)
        revisions[f"trial-{number}"] = project.trial(f"trial-{number}", variant(number))
        project.trial(f"gone-{number}", variant(10 + number))
    repository = read_history(folder).repository
    for number, (name, revision) in enumerate(revisions.items()):
        keep_seconds(repository, revision, number + 0.5)
        keep_times(repository, {f"model-{number}": {"fit": 1.0}})
        add_note(name, "Why?", folder)
        keep(repository, search(f"search-{number}", {name: revision}))
    keep(repository, search("all", revisions))
    project.git("init", "--quiet", "--bare", "../there.git")
    project.git("remote", "add", "origin", "../there.git")
    return project


def search(name: str, revisions: dict[str, str]) -> KeptSearch:
    trials = (KeptTrial(i, {}, "done", *one) for i, one in enumerate(revisions.items()))
    return KeptSearch(name, "random", 1, 1, {}, tuple(trials))


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make(tmp_path_factory.mktemp("few") / "project", 2)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make(tmp_path_factory.mktemp("many") / "project", 7)


def end_of_search(history: History) -> None:
    main = history.find("HEAD")
    found = searches(history.repository)["all"]
    result_of(found, Space({}, {}), main, "HEAD", history, wanted=None)


def remove_and_restore(history: History) -> None:
    folder = history.repository.project
    prune(plan_pruning(Selection(("gone-*",)), folder), folder=folder)
    undo_pruning(folder=folder)


def send(history: History) -> None:
    keep_trials(history)
    GitRemote(history.repository, "origin").send_trials()


COMMANDS: dict[str, Callable[[History], Any]] = {
    "compare": lambda history: compare(history=history),
    "compare with each parent": lambda history: compare(parent=True, history=history),
    "board": lambda history: board(compare(history=history), history),
    "prune and undo": remove_and_restore,
    "the end of a search": end_of_search,
    "budget": used_so_far,
    "usual seconds": usual_seconds,
    "costs": lambda history: kept_seconds(history.repository),
    "times": lambda history: kept_times(history.repository),
    "trace": lambda history: trace("trial-1", history.repository.project),
    "share": send,
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_git_is_started_as_often_for_more_experiments(
    few: Project, many: Project, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    run = git._run

    def counted(*arguments: Any, **options: Any) -> Any:
        started.append(arguments[0])
        return run(*arguments, **options)

    monkeypatch.setattr(git, "_run", counted)

    def count(project: Project) -> int:
        started.clear()
        COMMANDS[name](read_history(project.folder))
        return len(started)

    assert count(many) == count(few)


def test_what_trials_took_is_read_back(many: Project) -> None:
    seconds = kept_seconds(read_history(many.folder).repository)
    assert sorted(seconds.values()) == [number + 0.5 for number in range(7)]


def test_a_cost_that_is_no_number_is_passed_over(project: Project) -> None:
    project.commit(MAIN)
    repository = read_history(project.folder).repository
    keep_seconds(repository, "a" * 40, 1.5)
    blob = repository.write_blob("soon\n")
    project.git("update-ref", f"refs/crivo/costs/{'b' * 40}", blob)
    tree = project.git("rev-parse", "HEAD^{tree}")
    project.git("update-ref", f"refs/crivo/costs/{'c' * 40}", tree)
    assert kept_seconds(repository) == {"a" * 40: 1.5}
