"""Differences corrected for all the trials that were made on the same rows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import t

from crivo.comparison.families import Trials, chosen_among
from crivo.evaluation.metrics import metrics_of
from crivo.records.comparability import overlapping
from crivo.records.history import History
from crivo.records.record import Record
from crivo.repository.git import Repository
from tests.crivo.experiments import repository

AUC = metrics_of("binary")["roc_auc"]
LOSS = metrics_of("binary")["log_loss"]
# Student's t with 8 degrees of freedom, for the 4.5 % that the one planned trial may spend.
PLANNED = 2.373499


def record(name: str, value: float, step: float = 0.0, pattern: Sequence[int] = repository.ONE_WAY,
           metric: str = "roc_auc", when: int = 0, **more: Any) -> Record:  # fmt: skip
    files = repository.evaluated(value, step, pattern, metric=metric, **more)
    return repository.record_of(files, name, when)


MAIN = record("main", 0.70)
BY_CONTENT = {"named_by_content": True}
FLIGHTS = repository.settings(dataset="flights")
# se = 8/3 * 0.003 = 0.008, so t = 2.5 with 8 degrees of freedom.
GOOD = record("good", 0.72, 0.003, when=1)
OTHER = record("other", 0.70, 0.003, repository.OTHER_WAY, when=2)


def family(*records: Record, reference: Record = MAIN) -> Trials:
    return Trials(records, reference, frozenset([reference.predictions]))


def critical(found: Trials, trial: Record) -> float:
    return found.critical(trial, [AUC], primary=True)


def chosen(*records: Record, reference: Record, among: Sequence[Record]) -> Trials:
    keys = frozenset(one.predictions for one in among)
    return Trials(records, reference, keys)


def test_a_trial_that_is_fetched_later_brings_all_its_differences_itself() -> None:
    """It was recorded between the two that the reference was chosen among, and wasn't known."""
    fetched = record("fetched", 0.71, 0.002, (1, 1, 1, 1, -1, -1, -1, -1, 0), when=1)
    found = chosen(MAIN, fetched, OTHER, reference=OTHER, among=[MAIN, OTHER])
    assert [found.number(one) for one in (fetched, OTHER)] == [1, 2]
    # The first may spend 4.5 %; alone it would need this.
    assert critical(family(MAIN, GOOD), GOOD) == pytest.approx(PLANNED, abs=1e-6)
    assert critical(found, fetched) > PLANNED + 0.1


def tried(one: Record, when: int) -> Record:
    """Return an experiment that predicts what a record does."""
    return replace(one, origin=replace(one.origin, name=f"{one.name}-tried", trial=True,
                                       seconds=when))  # fmt: skip


def test_a_commit_was_chosen_among_those_before_it_and_a_trial_among_all() -> None:
    records, trial = (MAIN, GOOD, OTHER), tried(GOOD, 1)
    history = History(Repository(Path()), commits=records)
    assert chosen_among(history, MAIN) == {MAIN.predictions}
    assert chosen_among(history, GOOD) == {MAIN.predictions, GOOD.predictions}
    history = History(Repository(Path()), (trial,), (MAIN, OTHER))
    assert chosen_among(history, trial) == {one.predictions for one in records}
    told: dict[str, Any] = {"sample": ["a"], "model": "m"}
    one, same = (record(f"{n}", 0.6 + n / 100, rows=f"r{n}", when=n, **told) for n in (2, 3))
    own = record("own", 0.7, sample=["a"], when=4)
    history = History(Repository(Path()), commits=(one, same, own))
    assert chosen_among(history, own) == {own.predictions, one.predictions}


def test_a_plan_made_after_trials_with_other_clusters_comes_too_late() -> None:
    early, late = (repository.settings(compare=plan) for plan in ({}, {"planned_trials": 40}))
    before = record("before", 0.73, 0.001, rows="r2", sample=["a"], settings=early, when=1)
    before = replace(before, origin=replace(before.origin, trial=True))
    main = record("main", 0.70, sample=["a"], settings=late, when=2)
    trial = record("trial", 0.71, 0.002, sample=["a"], settings=late, when=3)
    assert family(main, trial, reference=main).spending().planned == 40
    found = family(before, main, trial, reference=main)
    assert (found.spending().planned, found.number(before), found.number(trial)) == (None, 1, 2)


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ({"sample": ["0a", "0b"]}, {"sample": ["0b", "0c"]}, True),
        ({"sample": ["0a", "0b"]}, {"sample": ["0c", "0d"]}, False),
        ({"sample": ["0a"], "named_by_content": True}, {"sample": ["0c"]}, True),
        ({"sample": ["0a"]}, {"sample": ["0c"], "split": "test"}, False),
        ({"sample": ["0a"], "named_by_content": True}, {"sample": ["0c00"]}, False),
        ({"sample": ["0a"], **BY_CONTENT}, {"sample": ["0c"], "settings": FLIGHTS}, False),
        ({}, {"sample": ["0a"]}, False),
        ({"prepared": "1"}, {"prepared": "1"}, True),
        ({"prepared": "1"}, {"prepared": "2"}, False),
    ],
)
def test_rows_overlap(one: dict[str, Any], other: dict[str, Any], wanted: bool) -> None:
    """Ids that are hashes of the content change with each column: those of one dataset may be."""
    mine, theirs = (record(n, 0.7, rows=n, **each) for n, each in (("m", one), ("t", other)))
    assert overlapping(mine, theirs) == overlapping(theirs, mine) == wanted


def test_a_metric_that_decided_when_a_trial_was_made_keeps_its_error() -> None:
    """Where another one decides now, it stays one of the trial's other metrics."""
    metrics = [AUC, LOSS]

    def both(name: str, primary: str, step: float, when: int) -> Record:
        values = {
            "roc_auc": repository.spread(0.7, step),
            "log_loss": repository.spread(0.5, step, repository.OTHER_WAY),
        }
        files = repository.evaluation_files(values, primary=primary, predictions=name)
        return repository.record_of(files, name, when)

    main = both("main", "roc_auc", 0.0, 0)
    first, second = both("first", "roc_auc", 0.002, 1), both("second", "roc_auc", 0.003, 2)
    then = Trials([main, first, second], main, frozenset([main.predictions]))
    late, switched = both("late", "log_loss", 0.001, 3), both("main", "log_loss", 0.0, 0)
    now = Trials([switched, first, second, late], switched, frozenset([switched.predictions]))
    for trial in (first, second):
        assert now.primary(trial) == "roc_auc"
        for primary in (True, False):
            given = then.critical(trial, metrics, primary=primary)
            assert now.critical(trial, metrics[::-1], primary=primary) == given
    assert now.primary(late) == "log_loss"
    for among, level in ((metrics, 0.045), ([*metrics, AUC], 0.045 / 2), ([AUC], 0.045)):
        expected = t.ppf(1 - level / 2, 8)
        assert then.critical(main, among, primary=False) == pytest.approx(expected)
        assert then.critical(main, among, primary=True) == pytest.approx(PLANNED)


# Products of neighbours are 24 over 32 squares; those of `ONE_WAY` are 1 over 8.
SLOW = (2, 2, 2, 2, 0, -2, -2, -2, -2)


def test_the_latest_24_trials_tell_what_differences_look_like() -> None:
    """The mean of their autocorrelations, with Kendall's bias; a flat difference has none."""
    trial = record("trial", 0.72, 0.002, SLOW, when=99)
    older = [record(f"older{n}", 0.6 + n / 100, 0.001, repository.OTHER_WAY) for n in range(2)]
    later = [record(f"later{n}", 0.7 + n / 1000, 0.001, when=n + 1) for n in range(24)]
    flat = record("flat", 0.75, when=50), record("other", 0.5, 0.001, metric="log_loss", when=51)
    for before, count in ((older + later, 24), (later, 24), ([*later[:3], *flat], 3)):
        found = family(MAIN, *before, trial).departures(trial, MAIN, AUC)
        mean = (24 / 32 + count / 8) / (count + 1)
        assert found["neighbours"].serial == pytest.approx(mean + (1 + 4 * mean) / 9)
    unordered = record("main", 0.70, clusters_in_order=False)
    assert "neighbours" not in family(unordered, trial).departures(trial, unordered, AUC)
