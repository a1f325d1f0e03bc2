"""A search that ended before its time goes on as if nothing had happened."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import filelock
import pytest

from crivo.core.errors import CrivoError, NotRun
from crivo.records.history import read_history
from crivo.records.ledger import read_ledger
from crivo.records.searches import keep, searches
from crivo.trials.results import SearchResult
from crivo.trials.search import driver
from crivo.trials.search.search import Options, resume, search
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.search.fake import FAMILIES, TREES, Engines, trees_of
from tests.crivo.settings import SETTINGS


def test_a_search_whose_first_ten_trials_fail_stops_and_can_go_on(project: Project) -> None:
    engines = Engines(project)
    space, options = ["model=forest", f"{TREES}=7"], Options("random", trials=30)
    with pytest.raises(CrivoError, match=r"first 10 trials of search-1 failed.*train failed"):
        search(space, options, folder=project.folder, engine_of=engines)
    repository = read_history(project.folder).repository
    assert len(searches(read_ledger(repository))["search-1"].trials) == 10
    with pytest.raises(CrivoError, match="first 20 trials"):
        resume(folder=project.folder, engine_of=engines)
    assert len(engines.ran) == 1


class Killed(BaseException):
    """Ends a search as a signal does, at any place."""


OPTIONS = Options("tpe", trials=6, workers=2)


@pytest.fixture(scope="module")
def unbroken(
    begun: Project, tmp_path_factory: pytest.TempPathFactory, tpe_at_once: None
) -> tuple[Any, ...]:
    """Give the trials and the trees of a search that nothing interrupted."""
    place = tmp_path_factory.mktemp("unbroken") / "project"
    shutil.copytree(begun.folder, place, symlinks=True)
    project = Project(place)
    result = search(FAMILIES, OPTIONS, folder=place, engine_of=Engines(project))
    return _found(result), trees_of(project)


def _found(result: SearchResult) -> list[tuple[Any, ...]]:
    return [(one.values, one.state, one.experiment, one.value) for one in result.trials]


@pytest.mark.parametrize(("name", "last"), [("propose", 0), ("propose", 4), ("keep", 4)])
def test_a_search_that_was_killed_anywhere_ends_with_the_same_trials(
    project: Project, monkeypatch: pytest.MonkeyPatch, unbroken: tuple[Any, ...],
    name: str, last: int,
) -> None:  # fmt: skip
    calls, step = iter(range(1000)), getattr(driver, name)

    def killed(*arguments: Any) -> Any:
        if next(calls) == last:
            raise Killed
        return step(*arguments)

    monkeypatch.setattr(driver, name, killed)
    with pytest.raises(Killed):
        search(FAMILIES, OPTIONS, folder=project.folder, engine_of=Engines(project))
    monkeypatch.undo()
    ran = trees_of(project)
    again = Engines(project)
    result = resume(folder=project.folder, engine_of=again)
    assert (_found(result), trees_of(project)) == unbroken
    assert not set(again.ran) & set(ran)
    assert result.finished


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda p: (p.folder / "src/train.py").write_text("x"), "code or settings have changed"),
        (lambda p: (p.folder / "params.yaml").write_text(SETTINGS + "search: {}\n"), None),
        (lambda p: p.git("commit", "--quiet", "--allow-empty", "--message", "More"), None),
    ],
)
def test_a_search_goes_on_from_the_same_code_and_settings_only(
    project: Project, change: Callable[[Project], Any], sentence: str | None
) -> None:
    options = Options("random", trials=3, minutes=0)
    search(FAMILIES, options, folder=project.folder, engine_of=Engines(project))
    change(project)
    if sentence is None:
        assert resume(folder=project.folder, engine_of=Engines(project)).finished
        return
    with pytest.raises(CrivoError, match=sentence):
        resume(folder=project.folder, engine_of=Engines(project))


@pytest.mark.parametrize(
    "sampler", ["tpe", *(pytest.param(one, marks=pytest.mark.slow) for one in ("random", "grid"))]
)
@pytest.mark.parametrize(
    "edited",
    [
        *({"values": one, "state": "failed"} for one in ({TREES: 70}, {TREES: "x"}, {"no": 1}, {})),
        *({"value": float(one)} for one in ("nan", "inf")),
    ],
)
def test_a_trial_whose_record_is_damaged_is_run_again(
    project: Project, sampler: Any, edited: dict[str, Any]
) -> None:
    space, engines = ["model=forest", f"{TREES}=int(20, 22)"], Engines(project)
    first = search(space, Options(sampler, trials=2), folder=project.folder, engine_of=engines)
    repository = read_history(project.folder).repository
    kept = searches(read_ledger(repository))["search-1"]
    keep(repository, kept, replace(kept.trials[1], revision="", **edited))
    result = resume(options=Options(trials=3), folder=project.folder, engine_of=engines)
    assert result.trials[:2] == first.trials
    assert result.finished


def test_what_another_process_told_before_it_let_go_is_not_run_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines, space = Engines(project), ["model=forest", f"{TREES}=int(20, 60)"]
    search(space, Options("random", trials=1), folder=project.folder, engine_of=engines)

    class Late(filelock.FileLock):
        def __enter__(self) -> Any:
            monkeypatch.undo()
            resume(options=Options(trials=2), folder=project.folder, engine_of=engines)
            return super().__enter__()

    monkeypatch.setattr(filelock, "FileLock", Late)
    result = resume(options=Options(trials=3), folder=project.folder, engine_of=engines)
    assert [one.state for one in result.trials] == ["done"] * 3
    assert len(engines.ran) == len({*engines.ran}) == 3


def test_a_grid_of_an_older_version_goes_on_to_its_end(project: Project) -> None:
    space, options = [f"{TREES}=20,21,22", "model=forest"], Options("grid", trials=1)
    begun = search(space, options, folder=project.folder, engine_of=Engines(project))
    assert "The grid has 3 points; `crivo search --resume search-1 --trials 3`" in begun.notes[-1]
    more = resume(options=Options(trials=2), folder=project.folder, engine_of=Engines(project))
    assert len(more.trials) == 2
    repository = read_history(project.folder).repository
    kept = searches(read_ledger(repository))["search-1"]
    keep(repository, replace(kept, wanted=None))
    result = resume(folder=project.folder, engine_of=Engines(project))
    assert (len(result.trials), result.finished) == (3, True)


@pytest.mark.parametrize(
    "lost",
    [NotRun("The scheduler doesn't answer any more."), OSError(errno.ENOSPC, "No space left")],
)
@pytest.mark.usefixtures("tpe_at_once")
def test_trials_that_could_not_be_run_are_no_failures_and_run_later(
    project: Project, unbroken: tuple[Any, ...], lost: Exception
) -> None:
    why = f"{lost.args[-1]}.*its finished trials are kept; `crivo search --resume search-1` runs"
    with pytest.raises(CrivoError, match=why):
        search(FAMILIES, OPTIONS, folder=project.folder, engine_of=Engines(project, lost=lost))
    kept = searches(read_history(project.folder).ledger)["search-1"]
    assert [one.state for one in kept.trials] == ["done", "done"]
    result = resume(folder=project.folder, engine_of=Engines(project))
    assert (_found(result), trees_of(project)) == unbroken
