"""Claims about recipes: the mean over seeds, and the seeds' own variance."""

from math import sqrt

import pytest
from scipy.stats import t

from crivo.comparison.recipes import (
    Recipe,
    compare_runs,
    recipe_of,
)
from crivo.comparison.result import Rule
from crivo.records.history import read_history
from crivo.records.record import Record
from crivo.statistics.serial import times_as_wide
from crivo.trials.repetition import repeat, summarise
from tests.crivo.experiments.repository import (
    OTHER_WAY,
    Project,
    evaluation_files,
    record_of,
    settings,
    spread,
)


def run(value: float, seed: int, step: float = 0.0, **more: object) -> Record:
    """Return a run whose clusters have no order, unless `more` says so."""
    about = {"clusters_in_order": bool(more.pop("clusters_in_order", False))}
    files = evaluation_files(
        {"roc_auc": spread(value, step)}, settings=settings(seed=seed, **more), **about
    )
    return record_of(files, f"run{seed}")


def recipe(name: str, values: list[float], step: float = 0.0, **more: object) -> Recipe:
    runs = tuple(run(value, seed, step, **more) for seed, value in enumerate(values))
    return Recipe(name, runs)


# Mean 0.72, variance 0.00001, so 0.000002 for the mean of five.
FIVE = [0.716, 0.718, 0.720, 0.722, 0.724]


def test_two_recipes_are_compared_with_the_variance_of_both() -> None:
    one = recipe("one", FIVE, step=0.003)
    other = recipe("other", [value - 0.05 for value in FIVE], model="linear")
    (row,) = compare_runs(one, other, 0.05)
    assert row.difference == pytest.approx(0.05)
    assert row.se == pytest.approx(sqrt(64e-6 + 2e-6 + 2e-6))
    assert row.verdict == "better"


def test_a_recipe_holds_all_recorded_runs_each_seed_once(project: Project) -> None:
    project.commit(evaluation_files({"roc_auc": spread(0.7)}, settings=settings(seed=1)))
    for name, seed in (("a", 2), ("b", 3), ("again", 3)):
        files = evaluation_files(
            {"roc_auc": spread(0.7 + seed / 100)}, settings=settings(seed=seed)
        )
        project.trial(name, files)
    history = read_history(project.folder)
    found = recipe_of(history, history.find("main"))
    assert found.name == "main"
    assert found.seeds == [1, 2, 3]


def test_a_repeated_recipe_is_one_row() -> None:
    other, rule = recipe("two", FIVE[:1], model="x"), Rule(1, 1, None, 0.015, 0.035)
    titles = [f"seed {seed}" for seed in range(5)]
    found = summarise(recipe("one", FIVE, step=0.003), "seeds", titles, other, rule)
    row = found.summary
    assert (row.recipe, row.runs, row.least, row.greatest) == ("one", 5, 0.716, 0.724)
    assert row.value == pytest.approx(0.72)
    assert row.high - row.value == pytest.approx(
        t.ppf(0.975, 66**2 / (64**2 / 8 + 2**2 / 4)) * sqrt(66e-6)
    )
    assert [one.value for one in found.runs] == FIVE
    assert found.answer.startswith("one over 5 seeds: roc_auc 0.7200 [")
    assert " vs two, as recipes trained on these rows: " in found.answer


def test_what_is_tried_later_changes_no_verdict_on_recipes(project: Project) -> None:
    own = {"compare": {}}
    project.commit(evaluation_files({"roc_auc": spread(0.70)}, settings=settings(seed=1, **own)))
    for seed in range(2, 6):
        files = evaluation_files({"roc_auc": spread(0.70)}, settings=settings(seed=seed, **own))
        project.trial(f"main-seed={seed}", files, kind="seed")
    changed = {"models__boosting__learning_rate": 0.2, **own}
    for seed, value in enumerate(FIVE, 1):
        files = evaluation_files(
            {"roc_auc": spread(value, 0.002)}, settings=settings(seed=seed, **changed)
        )
        project.trial(f"new-seed={seed}", files, kind="seed" if seed > 1 else "trial")
    before = repeat("new-seed=1", seeds=5, against="main", folder=project.folder)
    assert [one.verdict for one in before.against] == ["better"]
    assert before.rule is not None
    assert before.rule.spent == pytest.approx(0.05 * (1 - 1 / sqrt(2)))
    other = {"models__boosting__learning_rate": 0.3, **own}
    files = evaluation_files({"roc_auc": spread(0.7, 0.002, OTHER_WAY)}, settings=settings(**other))
    project.clock -= 10_000  # recorded earlier, and fetched now
    project.trial("fetched", files)
    after = repeat("new-seed=1", seeds=5, against="main", folder=project.folder)
    assert after.against == before.against


def test_the_interval_of_a_recipe_on_days_allows_for_alike_neighbours() -> None:
    days, shops = (recipe("one", FIVE, step=0.003, clusters_in_order=one) for one in (True, False))
    estimate, values = days.estimate("roc_auc"), days.values("roc_auc")
    rows = 64e-6 * times_as_wide(estimate.deleted, estimate.clusters) ** 2
    metric = days.runs[0].metrics["roc_auc"]
    assert days.interval(metric).se == pytest.approx(sqrt(rows + values.var(ddof=1) / 5))
    assert shops.interval(metric).se == pytest.approx(sqrt(66e-6))
