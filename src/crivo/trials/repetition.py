"""A recipe run again, over seeds or folds, as real experiments; summarised as one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from crivo.comparison.cautions import cautions
from crivo.comparison.choice import choose
from crivo.comparison.families import Family, primary_of
from crivo.comparison.over_folds import (
    Fold,
    OverFolds,
    alike,
    compare_over_folds,
    in_time,
    plan_folds,
    require_apart,
)
from crivo.comparison.recipes import (
    MIN_SEEDS,
    Recipe,
    Tried,
    compare_recipes,
    interval_with_seeds,
    recipe_of,
    recipes_in,
)
from crivo.comparison.repeated import Against, RecipeRow, Repetition, repetition_of
from crivo.core.errors import CrivoError
from crivo.records.cached import Store
from crivo.records.history import History, keep_trials, read_history
from crivo.records.naming import fold_name, seed_name
from crivo.records.record import Record, require
from crivo.statistics.intervals import difference, t_quantile
from crivo.trials.runs import Run, known_runs, runs_of

RunThese = Callable[[Sequence[Run]], list[Record]]


def repeat(
    revision: str,
    *,
    seeds: int | None = None,
    folds: int | None = None,
    against: str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    folder: Path = Path(),
) -> Repetition:
    """Run an experiment again over seeds or over folds, and summarise it as one recipe.

    Runs that are known aren't made again. With the reference (the incumbent, or `against`)
    repeated alike, the verdict is about the two recipes. `workers`: how many run at once;
    `scheduler`: on which cluster, if not here.
    """
    if (seeds is None) == (folds is None):
        raise CrivoError("Give either --seeds or --folds: how often to run it again.")
    history = read_history(folder)
    record = require(history.find(revision))
    if record.split == "test":
        raise CrivoError(
            f"{record.name} was evaluated on the test rows; repeat the experiment that was "
            "evaluated on validation rows."
        )
    choice = choose(history, [revision], against=against)
    other = choice.reference_of(record)
    if other is not None and other.origin.revision == record.origin.revision:
        other = None
    keep_trials(history)
    run = partial(runs_of, history, record, scheduler=scheduler, workers=workers)
    if seeds is not None:
        among = choice.among_of(other) if other else frozenset[str]()
        return _over_seeds(history, record, other, seeds, run, among)
    return _over_folds(history, record, other, folds or 0, run)


def _over_seeds(
    history: History,
    record: Record,
    other: Record | None,
    count: int,
    run_these: RunThese,
    among: frozenset[str],
) -> Repetition:
    if count < 2:
        raise CrivoError(f"--seeds is {count}; expected 2 or more, and {MIN_SEEDS} for a verdict.")
    seeds = recipe_of(history, record).seeds
    first = int(record.settings.get("seed") or 0)
    new = (seed for seed in range(first, first + count + len(seeds)) if seed not in seeds)
    runs = [
        Run("seed", seed_name(record.name, seed), (f"seed={seed}",), f"seed {seed}")
        for seed, _ in zip(new, range(count - len(seeds)), strict=False)
    ]
    run_these(runs)
    history = read_history(history.repository.project)
    recipe = recipe_of(history, record)
    theirs = recipe_of(history, other) if other else None
    keep_trials(history)
    return summarise_seeds(recipe, theirs, recipes_in(history), among)


def summarise_seeds(
    recipe: Recipe,
    other: Recipe | None,
    recipes: Sequence[Recipe] = (),
    among: frozenset[str] = frozenset(),
) -> Repetition:
    """Return a recipe over its seeds as one row, and the verdict against another recipe.

    `among`: the predictions of the models that the other one was chosen among.
    """
    metric = primary_of(recipe.runs[0])
    values, estimate = recipe.values(metric.name), recipe.estimate(metric.name)
    critical = t_quantile(0.975, estimate.clusters)
    seeds = [(recipe.seed_variance(metric.name), len(recipe.runs))]
    limits = interval_with_seeds(estimate, seeds, critical)
    against = Against()
    if other is not None and other.key[:2] == recipe.key[:2] and other.key != recipe.key:
        tried = Tried(other, recipes or (recipe, other), among)
        both = difference(metric, estimate, other.estimate(metric.name))
        notes = cautions({metric.name: both}, in_order=recipe.runs[0].in_order)
        if len(other.runs) < MIN_SEEDS:
            notes.append(
                f"A verdict about recipes needs {MIN_SEEDS} seeds each; {other.name} has "
                f"{len(other.runs)}: `crivo repeat {other.name} --seeds {MIN_SEEDS}`."
            )
        table = compare_recipes(recipe, other, tried)
        against = Against(table, " ".join(notes), tried.standing(recipe))
    if len(recipe.runs) > 1 and recipe.seedless:
        same = f"No seed changes {recipe.name}: all {len(recipe.runs)} runs gave the same numbers."
        against = replace(against, note=f"{same} {against.note}".strip())
    summary = RecipeRow(
        len(values), estimate.value, limits.low, limits.high, values.min(), values.max()
    )
    rows = {f"seed {one.settings.get('seed')}": one for one in recipe.runs}
    return repetition_of(recipe.name, "seeds", metric.name, rows, summary, other, against)


def _over_folds(
    history: History, record: Record, other: Record | None, count: int, run_these: RunThese
) -> Repetition:
    store = Store(history.repository)
    folds = plan_folds(record, count, store)
    runs = _fold_runs(record, folds)
    records = [require(one) for one in run_these(runs)]
    history = read_history(history.repository.project)
    (recipe,) = alike([OverFolds(record.name, tuple(records), in_time(folds))], store)
    require_apart(recipe)
    metric = primary_of(recipe.runs[0])
    values, limits = recipe.values(metric.name), recipe.interval(metric)
    summary = RecipeRow(count, values.mean(), limits.low, limits.high, values.min(), values.max())
    keep_trials(history)
    against = _against_folds(history, recipe, other, folds, store)
    rows = {fold.title: one for fold, one in zip(folds, recipe.runs, strict=True)}
    return repetition_of(record.name, "folds", metric.name, rows, summary, other, against)


def _fold_runs(record: Record, folds: Sequence[Fold]) -> list[Run]:
    return [
        Run(
            "fold",
            fold_name(record.name, place, len(folds)),
            fold.settings,
            f"fold {place} of {len(folds)}, {fold.title}",
        )
        for place, fold in enumerate(folds, 1)
    ]


def _against_folds(
    history: History,
    recipe: OverFolds,
    other: Record | None,
    folds: Sequence[Fold],
    store: Store,
) -> Against:
    """Return how a recipe differs from the reference's, when that has the same folds."""
    if other is None:
        return Against()
    runs = _fold_runs(other, folds)
    known = known_runs(history, other, runs)
    theirs = [
        found
        for run, mine in zip(runs, recipe.runs, strict=True)
        if (found := known.get(run.name)) is not None and found.about["rows"] == mine.about["rows"]
    ]
    if len(theirs) < len(runs):
        note = (
            f"A verdict about recipes needs the same folds of {other.name}: "
            f"`crivo repeat {other.name} --folds {len(folds)}`."
        )
        return Against(note=note)
    family = Family(history.counted, lambda _: theirs[0], remembered=history.remembered)
    standing = family.trials(recipe.runs[0].about["rows"]).standing(recipe.runs[0])
    one, another = alike([recipe, OverFolds(other.name, tuple(theirs), recipe.in_time)], store)
    table = compare_over_folds(one, another, standing.spent)
    first = primary_of(one.runs[0])
    change = difference(first, one.estimate(first.name), another.estimate(first.name))
    notes = " ".join(cautions({first.name: change}, in_order=recipe.runs[0].in_order))
    return Against(table, notes, standing)
