"""A search: each trial once, in an order that no clock changes, and again after it was killed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from crivo.core.errors import CrivoError
from crivo.experiments.comparison import compare
from crivo.experiments.history import History, read_history
from crivo.experiments.search.journal import Journal
from crivo.experiments.search.search import Options, apply_best, resume, search
from crivo.experiments.search.text import search_text
from crivo.experiments.searches import searches, searches_of
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.search.fake import (
    PARAMS,
    RATE,
    TREES,
    Engines,
    FakeEngine,
    files_of,
    start,
    trees_of,
)
from tests.crivo.settings import SETTINGS

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
    assert searches(history.repository)["search-1"] == result.search
    made = searches_of(history.repository)
    assert made == {one.origin.revision: "search-1" for one in history.trials
                    if one.name in engines.ran}  # fmt: skip
    assert len(made) == 4
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
    made = searches_of(read_history(project.folder).repository)
    assert [*made] == [result.search.trials[2].revision]


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
    assert len(result.search.trials) == 9
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
    assert result.best is not None
    assert result.best.experiment == "forest-trees=9"


@pytest.mark.parametrize("delays", [1, None])
def test_a_trial_whose_name_was_taken_meanwhile_gets_another(
    project: Project, delays: int | None
) -> None:
    first = "boosting-learning_rate=0.2"
    engines = Engines(project, delays=delays, taken=(first, f"{first}-2"))
    space = [f"{RATE}=0.2,0.3"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=engines)
    assert [(one.state, one.experiment) for one in result.search.trials] == [
        ("done", f"{first}-3"), ("done", "boosting-learning_rate=0.3"),
    ]  # fmt: skip


def test_a_search_whose_first_ten_trials_fail_stops_and_can_go_on(project: Project) -> None:
    engines = Engines(project)
    space, options = ["model=forest", f"{TREES}=7"], Options("random", trials=30)
    with pytest.raises(CrivoError, match=r"first 10 trials of search-1 failed.*train failed"):
        search(space, options, folder=project.folder, engine_of=engines)
    repository = read_history(project.folder).repository
    assert len(searches(repository)["search-1"].trials) == 10
    assert engines.made[0].cancelled
    with pytest.raises(CrivoError, match="first 20 trials"):
        resume(folder=project.folder, engine_of=engines)


def test_two_searches_that_begin_at_once_have_names_of_their_own(project: Project) -> None:
    @contextmanager
    def slow(history: History, workers: int | None) -> Iterator[FakeEngine]:
        search([f"{RATE}=0.2"], Options("grid"), folder=project.folder, engine_of=Engines(project))
        with Engines(project)(history, workers) as engine:
            yield engine

    space = [f"{RATE}=0.3"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=slow)
    assert result.search.name == "search-2"
    kept = searches(read_history(project.folder).repository)
    assert {name: one.trials[0].values for name, one in kept.items()} == {
        "search-1": {RATE: 0.2}, "search-2": {RATE: 0.3},
    }  # fmt: skip


def test_when_all_fail_nothing_is_best(project: Project) -> None:
    space = ["model=forest", f"{TREES}=7"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=Engines(project))
    assert (result.best, result.comparison, result.verdict) == (None, None, None)
    with pytest.raises(CrivoError, match="nothing to apply"):
        apply_best(result, project.folder)


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_no_clock_changes_what_is_proposed(another: Callable[[], Project], sampler: Any) -> None:
    found = []
    for delays in (1, None):
        project = another()
        options = Options(sampler, trials=8, workers=2)
        result = search(
            FAMILIES, options, folder=project.folder, engine_of=Engines(project, delays=delays)
        )  # fmt: skip
        found.append(([one.values for one in result.search.trials], trees_of(project)))
    assert found[0] == found[1]


def test_workers_change_nothing_of_a_random_search(another: Callable[[], Project]) -> None:
    found = []
    for workers in (1, 3):
        project = another()
        options = Options("random", trials=7, workers=workers)
        search(FAMILIES, options, folder=project.folder, engine_of=Engines(project))
        found.append(trees_of(project))
    assert found[0] == found[1]


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
HALVING = Options("random", trials=10, halving=True)
STEPS = ["model=boosting,forest", "models.boosting.max_iter=90", *FAMILIES[1:]]


@pytest.fixture(scope="session")
def unbroken(begun: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, ...]:
    """Give the trials and the trees of a search that nothing interrupted."""
    place = tmp_path_factory.mktemp("unbroken") / "project"
    shutil.copytree(begun.folder, place, symlinks=True)
    project = Project(place)
    result = search(FAMILIES, OPTIONS, folder=place, engine_of=Engines(project))
    return _found(result.search), trees_of(project)


@pytest.fixture(scope="session")
def halved(begun: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, ...]:
    """Give the trials and the trees of a search by halves that nothing interrupted."""
    place = tmp_path_factory.mktemp("halved") / "project"
    shutil.copytree(begun.folder, place, symlinks=True)
    project = Project(place)
    result = search(STEPS, HALVING, folder=place, engine_of=Engines(project))
    return _found(result.search), trees_of(project)


def _found(kept: Any) -> list[tuple[Any, ...]]:
    return [(one.values, one.state, one.experiment, one.value) for one in kept.trials]


@pytest.mark.parametrize(
    ("place", "count"),
    [
        ("submit", 3),
        ("_suggest before", 6),
        ("ask after", 4),
        ("tell before", 0),
        ("tell after", 3),
    ],
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


def test_halving_stops_trials_that_others_are_better_than(project: Project) -> None:
    engines = Engines(project)
    result = search(STEPS, HALVING, folder=project.folder, engine_of=engines)
    first = result.search.trials[:9]
    boosted = sorted((one for one in first if one.values["model"] == "boosting"),
                     key=lambda one: -one.values[RATE])  # fmt: skip
    third = ceil(len(boosted) / 3)
    assert [one.state for one in boosted] == ["done"] + ["stopped"] * (len(boosted) - 1)
    assert all(one.experiment.endswith("-steps=30of90") for one in boosted[1:third])
    assert all(one.experiment.endswith("-steps=10of90") for one in boosted[third:])
    assert {one.state for one in first if one.values["model"] == "forest"} == {"done"}
    assert [one.number for one in result.search.trials] == [*range(10)]
    assert result.best is not None
    assert result.best.state == "done"


def test_what_was_stopped_early_is_never_compared_with_whole_ones(project: Project) -> None:
    result = search(STEPS, HALVING, folder=project.folder, engine_of=Engines(project))
    stopped = {one.experiment for one in result.search.trials if one.state == "stopped"}
    compared = compare(folder=project.folder)
    assert stopped
    assert not stopped & {*compared.table.index, *compared.refused.index}
    named = compare([min(stopped)], folder=project.folder)
    assert "stopped early: a search stopped" in named.refused["reason"].iloc[0]
    # Its settings are no other trial's either: those of a whole one with as many steps.
    steps = int(min(stopped).rpartition("=")[2].split("of")[0])
    trial = next(one for one in result.search.trials if one.experiment == min(stopped))
    engines = Engines(project)
    space = [f"{key}={value}" for key, value in trial.values.items()]
    space[1] = f"models.boosting.max_iter={steps}"
    search(space, Options("grid"), folder=project.folder, engine_of=engines)
    assert len(engines.ran) == 1


@pytest.mark.parametrize(("place", "count"), [("submit", 8), ("stop before", 2)])
def test_halving_that_was_killed_ends_with_the_same_trials(
    project: Project, monkeypatch: pytest.MonkeyPatch, kill: Callable[[str, int], Any],
    halved: tuple[Any, ...], place: str, count: int,
) -> None:  # fmt: skip
    engines = Engines(project, before=kill(place, count))
    with pytest.raises(Killed):
        search(STEPS, HALVING, folder=project.folder, engine_of=engines)
    monkeypatch.undo()
    result = resume(folder=project.folder, engine_of=Engines(project))
    assert (_found(result.search), trees_of(project)) == halved


def test_the_end_says_what_is_luck_and_what_to_do(project: Project) -> None:
    space = [f"{RATE}=log(0.11, 0.9)"]
    options = Options("random", trials=4)
    result = search(space, options, folder=project.folder, engine_of=Engines(project))
    text = search_text(result)
    assert text.startswith("search-1 (random, seed 13): 4 trials: 4 run.\n")
    assert "is better than main: roc_auc +0." in text
    assert "of the raw gain is luck." in " ".join(text.split())
    assert result.best is not None
    assert f"`crivo confirm {result.best.experiment}` says whether the gain holds" in text
    assert result.gain is not None
    assert result.gain.raw == pytest.approx(result.best.values[RATE] - 0.1)
    assert result.gain.luck == pytest.approx(result.gain.raw - result.gain.after)


def test_a_search_that_finds_nothing_says_so(project: Project) -> None:
    result = search(
        [f"{RATE}=0.01,0.05"], Options("grid"), folder=project.folder, engine_of=Engines(project)
    )  # fmt: skip
    text = " ".join(search_text(result).split())
    assert result.verdict == "worse"
    assert "nothing to confirm. The best trial, boosting-learning_rate=0.05, is worse." in text
    assert "no gain to begin with" in text


def test_the_reference_itself_is_never_the_best(project: Project) -> None:
    space = [f"{RATE}=0.1,0.05"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=Engines(project))
    assert result.best is not None
    assert result.best.values == {RATE: 0.05}
    only = search(
        [f"{RATE}=0.1"], Options("grid"), folder=project.folder, engine_of=Engines(project)
    )
    assert only.verdict == "identical"


def test_a_search_by_minutes_alone_is_told_when_it_ends(project: Project) -> None:
    options = Options("random", minutes=0)
    search(FAMILIES, options, folder=project.folder, engine_of=Engines(project))
    with pytest.raises(CrivoError, match="give --minutes or --trials again"):
        resume(folder=project.folder, engine_of=Engines(project))


def test_the_best_settings_go_into_params_yaml_and_its_comments_stay(project: Project) -> None:
    (project.folder / "params.yaml").write_text(SETTINGS)
    project.git("commit", "--quiet", "--all", "--message", "Comment")
    result = search(
        [f"{RATE}=0.2,0.3"], Options("grid"), folder=project.folder, engine_of=Engines(project)
    )  # fmt: skip
    before = (project.folder / "params.yaml").read_text()
    said = apply_best(result, project.folder)
    assert said.startswith(f"params.yaml has {RATE}=0.3 now; `dvc repro` brings the results of")
    after = (project.folder / "params.yaml").read_text()
    assert after == before.replace(
        "learning_rate: 0.1\n    max_iter: 5", "learning_rate: 0.3\n    max_iter: 5"
    )


def test_minutes_end_a_search_that_goes_on_later(project: Project) -> None:
    options = Options("random", trials=3, minutes=0)
    result = search(FAMILIES, options, folder=project.folder, engine_of=Engines(project))
    assert (len(result.search.trials), result.finished) == (0, False)
    assert "crivo search --resume search-1" in search_text(result)
    result = resume(folder=project.folder, engine_of=Engines(project))
    assert (len(result.search.trials), result.finished) == (3, True)
    more = resume("search-1", Options(trials=5), folder=project.folder, engine_of=Engines(project))
    assert (len(more.search.trials), more.finished) == (5, True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda p: (p.folder / "src/train.py").write_text("x"), "code or settings have changed"),
        (lambda p: (p.folder / "params.yaml").write_text(SETTINGS + "\n"), None),
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


def test_what_cannot_begin_or_go_on_is_one_clear_sentence(project: Project) -> None:
    run = Engines(project)
    with pytest.raises(CrivoError, match="no search to resume here"):
        resume(folder=project.folder, engine_of=run)
    search(FAMILIES, Options(minutes=0), name="mine", folder=project.folder, engine_of=run)
    with pytest.raises(CrivoError, match=r"no search 'mime'; did you mean `mine`\?"):
        resume("mime", folder=project.folder, engine_of=run)
    with pytest.raises(CrivoError, match="There is a search mine already; .*--resume mine"):
        search(FAMILIES, name="mine", folder=project.folder, engine_of=run)
    with pytest.raises(CrivoError, match="--name is 'a/b'"):
        search(FAMILIES, name="a/b", folder=project.folder, engine_of=run)
    with pytest.raises(CrivoError, match="no experiment, branch, tag or commit 'nowhere'"):
        search(FAMILIES, against="nowhere", folder=project.folder, engine_of=run)
    (project.folder / ".dvc/tmp/crivo/searches/mine.journal").unlink()
    with pytest.raises(CrivoError, match="no journal of mine in this clone|no search to resume"):
        resume("mine", folder=project.folder, engine_of=run)
    settings = (project.folder / "params.yaml").read_text()
    part = {**json.loads(settings), "train": {"fraction": 0.5}}
    (project.folder / "params.yaml").write_text(json.dumps(part))
    with pytest.raises(CrivoError, match=r"train.fraction: 0.5, and a model .* isn't a trial"):
        search(FAMILIES, folder=project.folder, engine_of=run)
    text = settings.replace("split: valid", "split: test")
    (project.folder / "params.yaml").write_text(text.replace('"split": "valid"', '"split": "test"'))
    with pytest.raises(CrivoError, match="evaluate.split: test, and a search chooses"):
        search(FAMILIES, folder=project.folder, engine_of=run)


def test_an_interruption_says_how_to_go_on(
    project: Project, kill: Callable[[str, int], Any], caplog: pytest.LogCaptureFixture
) -> None:
    engines = Engines(project, before=kill("submit", 2))
    with pytest.raises(Killed):
        search(FAMILIES, OPTIONS, folder=project.folder, engine_of=engines)
    assert "search-1 was interrupted; `crivo search --resume search-1` goes on." in caplog.text
    assert engines.made[0].cancelled
    assert len(read_history(project.folder).trials) == 2
