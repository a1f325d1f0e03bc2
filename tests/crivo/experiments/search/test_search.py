"""A search: each trial once, in an order that no clock changes, and again after it was killed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crivo.core.errors import CrivoError
from crivo.experiments.history import read_history
from crivo.experiments.search import search_of, searches
from crivo.experiments.search.journal import Journal
from crivo.experiments.search.search import Options, apply_best, resume, search
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.search.fake import (
    PARAMS,
    RATE,
    TREES,
    Engines,
    files_of,
    start,
    trees_of,
)

FAMILIES = ["model=boosting,forest", f"{RATE}=log(0.01, 0.9)", f"{TREES}=int(20, 60)"]


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project with an evaluation; don't change it."""
    return start(Project(tmp_path_factory.mktemp("search") / "project"))


@pytest.fixture
def another(begun: Project, tmp_path: Path) -> Callable[[], Project]:
    """Give a function that makes copies of the project."""
    numbers = iter(range(100))

    def copy() -> Project:
        place = tmp_path / f"project{next(numbers)}"
        shutil.copytree(begun.folder, place, symlinks=True)
        return Project(place)

    return copy


@pytest.fixture
def project(another: Callable[[], Project]) -> Project:
    return another()


def test_every_point_of_a_grid_is_an_experiment_of_the_search(project: Project) -> None:
    engines = Engines(project)
    space = ["model=boosting,forest", f"{RATE}=0.2,0.3", f"{TREES}=20,30"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=engines)
    assert engines.ran == [
        "boosting-learning_rate=0.2", "boosting-learning_rate=0.3", "forest-trees=20",
        "forest-trees=30",
    ]  # fmt: skip
    assert [one.value for one in result.search.trials] == [0.2, 0.3, 0.2, 0.3]
    assert result.best is not None
    assert (result.best.experiment, result.finished) == ("boosting-learning_rate=0.3", True)
    history = read_history(project.folder)
    known = searches(history)
    assert known["search-1"] == result.search
    assert {search_of(one, known) for one in history.trials} == {"search-1"}
    assert search_of(history.find("main"), known) is None
    assert history.find("forest-trees=20").origin.message == "search-1: trial 3"


def test_what_is_known_is_not_run_again_and_counts(project: Project) -> None:
    settings = {**PARAMS, "models": {**PARAMS["models"], "boosting": {
        **PARAMS["models"]["boosting"], "learning_rate": 0.2}}}  # fmt: skip
    project.trial("before", files_of(settings))
    engines = Engines(project)
    space = [f"{RATE}=0.1,0.2,0.3"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=engines)
    assert engines.ran == ["boosting-learning_rate=0.3"]
    assert [(one.state, one.experiment) for one in result.search.trials] == [
        ("known", "main"), ("known", "before"), ("done", "boosting-learning_rate=0.3"),
    ]  # fmt: skip


def test_other_code_makes_a_result_unknown(project: Project) -> None:
    engines = Engines(project)
    (project.folder / "src/train.py").write_text("other\n")
    search([f"{RATE}=0.1"], Options("grid"), folder=project.folder, engine_of=engines)
    assert engines.ran == ["boosting-code=train"]


def test_the_same_settings_run_once_though_they_are_proposed_twice(project: Project) -> None:
    engines = Engines(project, delays=1)
    result = search(
        ["models.boosting.max_iter=int(5, 7)"], Options("random", trials=9),
        folder=project.folder, engine_of=engines,
    )  # fmt: skip
    assert len(engines.ran) == len(set(engines.ran)) <= 3
    assert len(result.search.trials) == 12
    assert sum(one.state == "done" for one in result.search.trials) == len(engines.ran)


def test_a_failing_trial_is_recorded_and_stops_no_other(project: Project) -> None:
    engines = Engines(project)
    space = ["model=forest", f"{TREES}=int(6, 9)"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=engines)
    states = [one.state for one in result.search.trials]
    assert states == ["done", "failed", "failed", "done"]
    first, second = (one.error for one in result.search.trials if one.error)
    assert "the stage train failed.\nwhy" in first
    assert "forest-trees=8 can't be compared with main: other rows" in second
    assert result.best is not None and result.best.experiment == "forest-trees=9"


def test_when_all_fail_nothing_is_best(project: Project) -> None:
    space = ["model=forest", f"{TREES}=7"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=Engines(project))
    assert (result.best, result.comparison, result.verdict) == (None, None, None)
    with pytest.raises(CrivoError, match="nothing to apply"):
        apply_best(result, project.folder)


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_no_clock_changes_what_is_proposed(another: Callable[[], Project], sampler: Any) -> None:
    found = []
    for delays in (1, 2, None):
        project = another()
        options = Options(sampler, trials=8, workers=2)
        result = search(
            FAMILIES, options, folder=project.folder, engine_of=Engines(project, delays=delays)
        )  # fmt: skip
        found.append(([one.values for one in result.search.trials], trees_of(project)))
    assert found[0] == found[1] == found[2]


def test_workers_change_nothing_of_a_random_search(another: Callable[[], Project]) -> None:
    found = []
    for workers in (1, 3):
        project = another()
        options = Options("random", trials=7, workers=workers)
        search(FAMILIES, options, folder=project.folder, engine_of=Engines(project))
        found.append(trees_of(project))
    assert found[0] == found[1]


def test_another_seed_proposes_other_trials(another: Callable[[], Project]) -> None:
    found = []
    for seed in (1, 2):
        project = another()
        options = Options(seed=seed, trials=4)
        search(FAMILIES, options, folder=project.folder, engine_of=Engines(project))
        found.append(trees_of(project))
    assert found[0] != found[1]


class Killed(BaseException):
    """Ends a search as a signal does, at any place."""


@pytest.fixture
def kill(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, int], Any]]:
    """Give a function that has the nth call of something end the process."""

    def arrange(place: str, count: int) -> Callable[[str], None]:
        calls = iter(range(1000))

        def step(*_: object) -> None:
            if next(calls) == count:
                raise Killed

        if place == "submit":
            return step
        name, after = place.split()
        original = getattr(Journal, name)

        def wrapped(self: Journal, *arguments: Any) -> Any:
            if after == "before":
                step()
            made = original(self, *arguments)
            if after == "after":
                step()
            return made

        monkeypatch.setattr(Journal, name, wrapped)
        return lambda name: None

    with monkeypatch.context():
        yield arrange


OPTIONS = Options("tpe", trials=8, workers=2)


@pytest.fixture(scope="session")
def unbroken(begun: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, ...]:
    """Give the trials and the trees of a search that nothing interrupted."""
    place = tmp_path_factory.mktemp("unbroken") / "project"
    shutil.copytree(begun.folder, place, symlinks=True)
    project = Project(place)
    result = search(FAMILIES, OPTIONS, folder=place, engine_of=Engines(project))
    return _found(result.search), trees_of(project)


def _found(kept: Any) -> list[tuple[Any, ...]]:
    return [(one.values, one.state, one.experiment, one.value) for one in kept.trials]


@pytest.mark.parametrize("count", [1, 6])
@pytest.mark.parametrize(
    "place",
    ["submit", "_suggest before", "_suggest after", "ask after", "tell before", "tell after"],
)
def test_a_search_that_was_killed_anywhere_ends_with_the_same_trials(
    project: Project, monkeypatch: pytest.MonkeyPatch, kill: Callable[[str, int], Any],
    unbroken: tuple[Any, ...], place: str, count: int,
) -> None:  # fmt: skip
    engines = Engines(project, before=kill(place, count))
    with pytest.raises(Killed):
        search(FAMILIES, OPTIONS, folder=project.folder, engine_of=engines)
    monkeypatch.undo()
    ran = trees_of(project)
    again = Engines(project)
    result = resume(folder=project.folder, engine_of=again)
    assert (_found(result.search), trees_of(project)) == unbroken
    assert not set(again.ran) & set(ran)
    assert result.finished
