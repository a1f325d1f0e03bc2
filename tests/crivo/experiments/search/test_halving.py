"""A search by halves: bad trials end early, and count as no whole ones."""

from __future__ import annotations

import re
from math import ceil

import pytest

from crivo.experiments.comparison import compare
from crivo.experiments.history import read_history
from crivo.experiments.search.search import Options, search
from crivo.experiments.searches import searches_of
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.search.fake import (
    HALVING,
    RATE,
    STEPS,
    Engines,
)


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


def test_all_that_was_run_belongs_to_the_search(project: Project) -> None:
    engines = Engines(project)
    search(STEPS, HALVING, folder=project.folder, engine_of=engines)
    made = searches_of(read_history(project.folder).repository)
    names = {one.origin.revision: one.name for one in read_history(project.folder).trials}
    assert sorted(names[revision] for revision in made) == sorted(engines.ran)
    assert any(name.endswith("-steps=10of90") for name in engines.ran)


def test_no_more_trials_are_done_than_there_are(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="crivo.search"):
        search(STEPS, HALVING, folder=project.folder, engine_of=Engines(project))
    counts = [int(one) for one in re.findall(r"\((\d+) of 10 done", caplog.text)]
    assert len(counts) == 10
    assert counts == sorted(counts)
    assert counts[-1] == 10


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
