"""A search: each trial once, in an order that no clock changes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crivo.comparison.compare import compare
from crivo.core.errors import CrivoError
from crivo.records.exchange import send_ledger
from crivo.records.history import History, read_history
from crivo.records.record import Record
from crivo.records.searches import keep, made_by, searches
from crivo.repository.git import open_repository
from crivo.repository.git_remote import GitRemote
from crivo.trials.search import driver
from crivo.trials.search.search import Options, resume, search
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.search.fake import FAMILIES, RATE, TREES, Engines, FakeEngine, trees_of
from tests.crivo.experiments.tried import session


def test_a_failing_trial_is_recorded_and_stops_no_other_and_the_best_so_far_is_logged(
    project: Project, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two workers; each trial takes 90 seconds, and there are two minutes."""
    for module in ("driver", "search"):
        clock = SimpleNamespace(monotonic=lambda: 1000.0)
        monkeypatch.setattr(f"crivo.trials.search.{module}.time", clock)
    project.trial("forest-trees=10", {"README": "of that name"})
    engines = Engines(project, seconds=90.0)
    search([f"{RATE}=0.05"], Options("grid"), folder=project.folder, engine_of=engines)
    caplog.set_level("INFO", "crivo")
    space = ["model=forest,boosting", f"{TREES}=int(6, 10)", f"{RATE}=0.05"]
    options = Options("grid", minutes=2)
    result = search(space, options, folder=project.folder, engine_of=engines)
    states = {"done": 90.0, "failed": 0.0, "known": 0.0}
    assert [one.seconds for one in result.trials] == [states[one.state] for one in result.trials]
    found = " ".join(one.state for one in result.trials)
    assert found == "done failed failed done done known"
    assert (result.best, result.stop) == ("forest-trees=10-2", False)
    expected = Path(__file__).with_name("log.txt").read_text(encoding="utf-8")
    assert caplog.messages == expected.splitlines()


def test_a_session_of_trials_prints_what_it_should(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.clock += 60  # later than the commit

    def engine_of(_: object, record: Record | None = None) -> Engines:
        return Engines(project, base=record.settings) if record else Engines(project)

    monkeypatch.setattr("crivo.trials.engine.engine_of", engine_of)
    monkeypatch.setattr("crivo.trials.trial.engine_of", engine_of)
    trying = Engines(project)
    monkeypatch.setattr("crivo.trials.trial.local_engine", trying)
    monkeypatch.setattr("crivo.records.ledger.time.time", lambda: project.clock + 30.0)
    monkeypatch.chdir(project.folder)
    expected = Path(__file__).with_name("session.txt").read_text(encoding="utf-8")
    assert session(expected) == expected
    form = "--format=%(contents:trailers:key=Crivo-Kind,valueonly)"
    kinds = Counter(project.git("for-each-ref", form, "refs/exps").split())
    assert {one.workers for one in trying.made} == {1}
    assert kinds == {"trial": 17, "seed": 8, "part": 2, "fold": 5, "test": 2}


def test_the_same_settings_run_once_though_they_are_proposed_twice(project: Project) -> None:
    engines = Engines(project, delays=1)
    result = search(
        ["models.boosting.max_iter=int(5, 7)"], Options("random", trials=9),
        folder=project.folder, engine_of=engines,
    )  # fmt: skip
    assert len(engines.ran) == len(set(engines.ran)) <= 3
    assert len(result.trials) == 9
    assert sum(one.state == "done" for one in result.trials) == len(engines.ran)
    # A damaged record that lists one again isn't believed.
    history = read_history(project.folder)
    (known,) = searches(history.ledger).values()
    keep(history.repository, known, replace(known.trials[0], number=9))
    assert [*searches(read_history(project.folder).ledger).values()] == [known]


def test_settings_that_failed_are_not_run_again_when_a_search_goes_on(project: Project) -> None:
    engines, space = Engines(project), ["model=forest", f"{TREES}=7"]
    search(space, Options("random", trials=1), folder=project.folder, engine_of=engines)
    result = resume(options=Options(trials=3), folder=project.folder, engine_of=engines)
    assert [one.error for one in result.trials] == [result.trials[0].error] * 3
    assert len(engines.ran) == 1


def test_no_trial_begins_after_the_time_is_up(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = Engines(project, delays=1)
    settings = (project.folder / "params.yaml").read_text().replace('"seed": 13', '"seed": 14')
    (project.folder / "params.yaml").write_text(settings)
    # The time is up when the first trial has been recorded.
    monkeypatch.setattr(driver.Driver, "may_begin", property(lambda _: not engines.ran))
    space = ["models.boosting.max_iter=int(6, 15)"]
    options = Options("random", trials=10, workers=1, minutes=30)
    result = search(space, options, folder=project.folder, engine_of=engines)
    assert len(engines.ran) == len(result.trials) == 1
    assert engines.ran[0].startswith("boosting-seed=14-max_iter=")


def test_two_searches_that_begin_at_once_have_names_of_their_own(project: Project) -> None:
    @contextmanager
    def slow(history: History, workers: int | None) -> Iterator[FakeEngine]:
        search([f"{RATE}=0.2"], Options("grid"), folder=project.folder, engine_of=Engines(project))
        with Engines(project)(history, workers) as engine:
            yield engine

    space = [f"{RATE}=0.3"]
    result = search(space, Options("grid"), folder=project.folder, engine_of=slow)
    assert result.search == "search-2"
    kept = searches(read_history(project.folder).ledger)
    assert {name: one.trials[0].values for name, one in kept.items()} == {
        "search-1": {RATE: 0.2}, "search-2": {RATE: 0.3},
    }  # fmt: skip


@pytest.mark.parametrize("sampler", ["tpe", "random"])
@pytest.mark.usefixtures("tpe_at_once")
def test_no_clock_changes_what_is_proposed(another: Callable[[], Project], sampler: Any) -> None:
    found = []
    for delays in (1, None):
        project = another()
        options = Options(sampler, trials=6, workers=2)
        result = search(
            FAMILIES, options, folder=project.folder, engine_of=Engines(project, delays=delays)
        )  # fmt: skip
        found.append(([one.values for one in result.trials], trees_of(project)))
        (kept,) = searches(read_history(project.folder).ledger).values()
        assert kept.window == {"tpe": 2, "random": 6}[sampler]  # who doesn't learn needn't wait
    assert found[0] == found[1]


def test_two_people_s_searches_of_one_name_are_both_kept(another: Callable[[], Project]) -> None:
    ana, rui = another(), another()
    for project, rate in ((ana, 0.2), (rui, 0.3)):
        space, options = [f"{RATE}={rate},0.4"], Options("grid", trials=1)
        search(space, options, folder=project.folder, engine_of=Engines(project))
    ana.git("fetch", "--quiet", str(rui.folder), "refs/exps/*:refs/exps/*")
    rui.git("remote", "add", "ana", str(ana.folder))
    send_ledger(GitRemote(open_repository(rui.folder), "ana"))
    own, theirs = sorted(
        searches(read_history(ana.folder).ledger).items(),
        key=lambda one: one[1].trials[0].values[RATE],
    )
    assert [own[1].trials[0].values, theirs[1].trials[0].values] == [{RATE: 0.2}, {RATE: 0.3}]
    assert own[0].startswith("search-1@")
    assert theirs[0].startswith("search-1@")
    assert set(compare(folder=ana.folder).table["search"]) == {"", own[0], theirs[0]}
    with pytest.raises(CrivoError, match="no experiment|No experiment belongs.*search-1@"):
        made_by(read_history(ana.folder).ledger, ["search-1"])
    # Ana's goes on, and Rui's stays; the next one has another name.
    more = resume("search-1", Options("grid", trials=2), folder=ana.folder, engine_of=Engines(ana))
    assert [one.values for one in more.trials] == [{RATE: 0.2}, {RATE: 0.4}]
    found = searches(read_history(ana.folder).ledger)
    assert {name: len(one.trials) for name, one in found.items()} == {own[0]: 2, theirs[0]: 1}
    space = [f"{RATE}=0.5"]
    new = search(space, Options("grid"), folder=ana.folder, engine_of=Engines(ana))
    assert new.search == "search-2"


def test_what_cannot_begin_or_go_on_is_one_clear_sentence(project: Project) -> None:
    run = Engines(project)
    search([f"{RATE}=0.2"], Options(minutes=0), folder=project.folder, engine_of=run)
    block = project.folder / "src/blocks/models/forest.py"
    block.parent.mkdir(parents=True)
    block.touch()
    untracked = r"track src/blocks/models/forest.py, .*`git add`.* from params.yaml"
    with pytest.raises(CrivoError, match="track src/blocks/models/forest.py, "):
        search([f"{RATE}=0.2"], folder=project.folder, engine_of=run)
    with pytest.raises(CrivoError, match=untracked):
        resume(folder=project.folder, engine_of=run)
    block.unlink()
    settings = (project.folder / "params.yaml").read_text()
    part = {**json.loads(settings), "train": {"fraction": 0.5}}
    (project.folder / "params.yaml").write_text(json.dumps(part))
    with pytest.raises(CrivoError, match=r"train.fraction: 0.5, and a model .* isn't a trial"):
        search(FAMILIES, folder=project.folder, engine_of=run)
    text = settings.replace("split: valid", "split: test")
    (project.folder / "params.yaml").write_text(text.replace('"split": "valid"', '"split": "test"'))
    with pytest.raises(CrivoError, match="evaluate.split: test, and a search chooses"):
        search(FAMILIES, folder=project.folder, engine_of=run)
