"""What a search says at its end, and which trial is the best."""

from pathlib import Path
from typing import Any

import pytest

from crivo.records.history import read_history
from crivo.records.searches import KeptSearch, SearchTrial
from crivo.trials.results import result_of, search_text
from tests.crivo.experiments.repository import OTHER_WAY, Project, evaluated, settings

ERROR = (
    "The experiment a failed: the stage train failed. Its last lines:\nTraceback\n"
    "  File x\nValueError: the rate is too high"
)


def ended(project: Project, wanted: int | None = None, failed: int = 0, **values: Any) -> str:
    """Return what the end of a search says whose trials are there already, in one line."""
    main = project.commit(evaluated(0.70))
    project.git("reset", "--quiet", "--hard")
    trials = tuple(
        SearchTrial(number, {}, "done", name, project.trial(name, evaluated(
            *metric, settings=settings(models__boosting__learning_rate=number + 0.2))))
        for number, (name, metric) in enumerate(values.items())
    )  # fmt: skip
    history = read_history(project.folder)
    made = tuple(one for one in trials if one.experiment != "earlier")
    made += tuple(SearchTrial(9, {"models.x.a": 1}, "failed", error=ERROR) for _ in range(failed))
    kept = KeptSearch("rates", "random", 1, 1, {}, made, wanted=wanted)
    result = result_of(kept, history.find(main), history, 0)
    return " ".join(search_text(result).split())


def test_failed_trials_say_why_in_a_line_each_and_more_than_five_are_counted(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path / "project")
    why = "The experiment a failed: the stage train failed: ValueError: the rate is too high."
    assert ended(project, 6, 6) == (
        "rates (random, seed 1): 6 trials: 6 failed. No trial has a result, so there is nothing to "
        f"compare. {5 * f'Failed: trial 10 (a=1): {why} '}"
        "1 more failed; `--json` lists all, with what they printed."
    )


# With standard errors of 8/3 of the second number: one gain of 0.02, and four trials near another.
NEAR = {"a": (0.702, 0.03, OTHER_WAY), "b": (0.7015, 0.033, OTHER_WAY), "c": (0.7, 0.03)}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"a": (0.72, 0.001, OTHER_WAY)}, " of it is luck."),
        ({"a": (0.72, 0.01, OTHER_WAY)}, " of it is luck, though all of it may be."),
        (NEAR | {"d": (0.65, 0.027)}, "; all of it may be luck."),
    ],
)
def test_a_gain_that_is_not_shown_may_be_luck(tmp_path: Path, values: Any, words: str) -> None:
    text = ended(Project(tmp_path / "project"), 4, 5, **values)
    assert words in text
    assert "more failed" not in text  # five are named


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (5, "The search has run 1 of 5 trials; `crivo search --resume rates` runs the others."),
        (None, "Time is up; `crivo search --resume rates --minutes 30` runs more trials."),
        (1, ""),
    ],
)
def test_a_search_that_may_go_on_says_how(tmp_path: Path, wanted: int | None, words: str) -> None:
    text = ended(Project(tmp_path / "project"), wanted, one=(0.71, 0.001))
    assert words in text
    assert ("--resume" in text) == bool(words)


def test_a_trial_that_changes_nothing_is_the_best_only_if_there_is_no_other(tmp_path: Path) -> None:
    trials = {"same": (0.7,), "less": (0.6, 0.001)}
    assert "less is worse than main" in ended(Project(tmp_path / "other"), **trials)


def test_a_best_trial_that_can_be_compared_no_more_is_named_with_the_reason(
    project: Project,
) -> None:
    """An incumbent on other rows may have come since it was told."""
    history = read_history(project.folder)
    other = project.trial("other", evaluated(0.8, rows="r2"))
    trial = SearchTrial(0, {}, "done", "other", other, 0.8)
    kept = KeptSearch("rates", "random", 1, 1, {}, (trial,), wanted=1)
    found = result_of(kept, history.find("main"), read_history(project.folder), 0)
    assert (found.outcome, found.best, found.revision) == ("failed", "other", other)
    assert str(found.error).startswith("other rows: ")
