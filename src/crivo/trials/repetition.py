"""`crivo repeat`: runs a recipe again over seeds or folds, and summarises the runs.

The statistics are in `crivo.comparison.recipes`; `--fractions` is in `learning_curve`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from crivo.comparison.choice import Choice, choose
from crivo.comparison.families import Trials, primary_of
from crivo.comparison.numbers import decimals, difference_text, number, value_text, with_interval
from crivo.comparison.recipes import (
    MIN_SEEDS,
    OverFolds,
    Recipe,
    RecipeVerdict,
    compare_runs,
    recipe_of,
)
from crivo.comparison.result import Limits, Rule
from crivo.comparison.text import DIFFERENCE, WIDTHS, Line, shorten_name
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.layout import columns, paragraph
from crivo.core.results import Number, result
from crivo.evaluation.caveats import longer
from crivo.records.cached import Store
from crivo.records.comparability import recipe_key, require_whole_on_validation
from crivo.records.history import History, keep_trials, read_history
from crivo.records.record import Record, require
from crivo.records.settings import chosen_block, valid_name
from crivo.statistics.intervals import FEW_CLUSTERS, difference
from crivo.statistics.serial import autocorrelation, looks_serial
from crivo.trials.runs import Run, known_runs, runs_of

RunThese = Callable[[Sequence[Run]], list[Record]]


@result
class Summary(Limits):
    """A recipe, summarised over its runs."""

    recipe: str
    """The experiment that was repeated."""
    runs: int
    """The number of runs."""
    least: Number
    """The lowest value of a single run."""
    greatest: Number
    """The highest value of a single run."""


@result
class RunOfRecipe(Limits):
    """One run of a recipe."""

    run: str
    """The run's seed or fold."""
    name: str
    """The experiment that records the run."""


@result
class Repetition:
    """A recipe over seeds or folds, and how it differs from the reference's."""

    answer: str
    """The first line of the text output."""
    of: Literal["seeds", "folds"]
    """What differs between the runs."""
    primary: str
    """The metric that decides."""
    summary: Summary
    """The recipe, summarised over its runs."""
    runs: tuple[RunOfRecipe, ...]
    """The runs of the recipe."""
    against: tuple[RecipeVerdict, ...]
    """The differences from the reference's recipe; empty if they aren't known."""
    reference: str
    """The experiment whose recipe is the reference."""
    rule: Rule | None
    """The rule under which the verdict was given."""
    note: str
    """Further notes for the reader."""


def summarise(
    recipe: Recipe,
    of: Literal["seeds", "folds"],
    titles: Sequence[str],
    other: Recipe | None = None,
    rule: Rule | None = None,
    notes: Iterable[str] = (),
) -> Repetition:
    """Return a recipe as one row, its runs by their `titles`, and how it differs from another."""
    metric = primary_of(recipe.runs[0])
    values, limits = recipe.values(metric.name), recipe.interval(metric)
    least, greatest = float(values.min()), float(values.max())
    ends = float(values.mean()), limits.low, limits.high
    one = Summary(*ends, recipe.name, len(values), least, greatest)
    against = compare_runs(recipe, other, rule.spent) if other and rule else ()
    notes = [*notes, *([_caution(recipe, other)] if other and rule else [])]
    reference = other.name if other else ""
    return Repetition(
        answer=_answer(one, of, metric.name, against, reference, rule),
        of=of,
        primary=metric.name,
        summary=one,
        runs=tuple(
            RunOfRecipe(own["value"], own["low"], own["high"], title, run.name)
            for title, run in zip(titles, recipe.runs, strict=True)
            if (own := run.interval(metric.name))
        ),
        against=against,
        reference=reference,
        rule=rule,
        note=" ".join(filter(None, notes)),
    )


def _caution(one: Recipe, other: Recipe) -> str:
    """Warn of neighbouring clusters that differ alike in the primary metric."""
    metric = primary_of(one.runs[0])
    found = difference(metric, one.estimate(metric.name), other.estimate(metric.name)).deleted
    few = len(found) < FEW_CLUSTERS
    if few or not (one.runs[0].in_order and looks_serial(found)):
        return ""
    return (
        f"Differences in neighbouring clusters are correlated in {metric.name} (autocorrelation "
        f"{autocorrelation(found):.2f}): this interval is too narrow. {longer(found)}"
    )


def _answer(
    one: Summary,
    of: str,
    metric: str,
    verdicts: tuple[RecipeVerdict, ...],
    reference: str,
    rule: Rule | None,
) -> str:
    """Return the recipe in one line. A verdict over seeds leaves the training rows as they are."""
    digits = decimals((one.high - one.low) / 4)
    text = (
        f"{one.recipe} over {one.runs} {of}: {metric} "
        f"{with_interval(one.value, one.low, one.high, digits)}, "
        f"single {of} {number(one.least, digits)} to {number(one.greatest, digits)}"
    )
    if not verdicts:
        return text
    claim = "recipes trained on these rows" if of == "seeds" else "recipes"
    verdict = f"{verdicts[0].verdict} vs {reference}, as {claim}"
    return f"{text}; {verdict}: {difference_text(verdicts[0])}; {rule}"


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
        raise CrivoError("Give either --seeds or --folds, with a number of runs.")
    history = read_history(folder)
    record = require_whole_on_validation(history.find(revision))
    choice = choose(history, [revision], against=against)
    other: Record | None = choice.reference
    if choice.reference.origin.revision == record.origin.revision:
        other = None
    keep_trials(history)
    run = partial(runs_of, history, record, scheduler=scheduler, workers=workers)
    if seeds is not None:
        return _over_seeds(history, record, other, choice, seeds, run)
    return _over_folds(history, record, other, folds or 0, run)


def _over_seeds(
    history: History,
    record: Record,
    other: Record | None,
    choice: Choice,
    count: int,
    run_these: RunThese,
) -> Repetition:
    """Run a recipe with so many seeds; its verdict spends what a trial in its place may."""
    if count < 2:
        raise CrivoError(f"--seeds is {count}; expected 2 or more, and {MIN_SEEDS} for a verdict.")
    seeds = recipe_of(history, record).seeds
    first = int(record.settings.get("seed") or 0)
    new = (seed for seed in range(first, first + count + len(seeds)) if seed not in seeds)
    runs = [
        Run("seed", valid_name(f"{record.name}-seed={seed}"), (f"seed={seed}",), f"seed {seed}")
        for seed, _ in zip(new, range(count - len(seeds)), strict=False)
    ]
    run_these(runs)
    history = read_history(history.repository.project)
    keep_trials(history)
    recipe, notes = recipe_of(history, record), list[str]()
    if len(recipe.runs) > 1 and recipe.seedless:
        runs_told = f"all {len(recipe.runs)} runs gave the same numbers"
        notes.append(f"No seed changes {recipe.name}: {runs_told}.")
    show = partial(summarise, recipe, "seeds", [f"seed {seed}" for seed in recipe.seeds])
    theirs = recipe_of(history, other) if other else None
    if other is None or theirs is None or not _comparable(record, other):
        return show(theirs, notes=notes)
    if len(theirs.runs) < MIN_SEEDS:
        notes.append(
            f"A verdict about recipes needs {MIN_SEEDS} seeds each; {other.name} has "
            f"{len(theirs.runs)}: `crivo repeat {other.name} --seeds {MIN_SEEDS}`."
        )
    trials = Trials(history.counted, choice.reference, choice.among, history.remembered)
    return show(theirs, trials.rule(record), notes)


def _comparable(record: Record, other: Record) -> bool:
    """Whether two records are of different recipes, with the same metrics on the same rows."""
    mine, theirs = recipe_key(record), recipe_key(other)
    return mine != theirs and mine[:2] == theirs[:2]


def plan_folds(record: Record, count: int, store: Store) -> list[Run]:
    """Return the folds of a record's split as runs; CrivoError when it can't be split so often."""
    if count < 2:
        raise CrivoError(f"--folds is {count}; expected 2 or more.")
    splitter, name = chosen_block("splitter", record.settings), record.settings["splitter"]
    folds = splitter.folds(count, lambda: _first(record, store))
    if not folds:
        raise CrivoError(
            f"Splitter {name} can't make folds: it lacks the settings fold, valid and test; "
            "repeat over seeds, or use by_time, by_group or at_random."
        )
    return [
        Run(
            "fold",
            valid_name(f"{record.name}-fold={place}of{count}"),
            tuple(f"++splitters.{name}.{key}={value}" for key, value in changed.items()),
            f"fold {place} of {count}, {title}",
        )
        for place, (title, changed) in enumerate(folds.items(), 1)
    ]


def _first(record: Record, store: Store) -> Any:
    """Return the first moment of the training rows."""
    time = store.schema(record).time
    rows = artifacts.read_table(store.path(record, "data/prepared/train.parquet"), [str(time)])
    return rows[time].min()


def _over_folds(
    history: History, record: Record, other: Record | None, count: int, run_these: RunThese
) -> Repetition:
    folds = plan_folds(record, count, Store(history.repository))
    records = [require(one) for one in run_these(folds)]
    history = read_history(history.repository.project)
    keep_trials(history)
    # Each is taught by what came before it, and not by all other folds.
    in_time = any(".valid_from=" in setting for fold in folds for setting in fold.settings)
    recipe = OverFolds(record.name, tuple(records), in_time)
    titles = [fold.title.partition(", ")[2] for fold in folds]
    if other is None:
        return summarise(recipe, "folds", titles)
    known = known_runs(history, other, folds)
    theirs = [
        found
        for fold, mine in zip(folds, records, strict=True)
        if (found := known.get(fold.name)) and found.about["rows"] == mine.about["rows"]
    ]
    show = partial(
        summarise, recipe, "folds", titles, OverFolds(other.name, tuple(theirs), in_time)
    )
    if len(theirs) < len(folds):
        note = (
            f"A verdict about recipes needs the same folds of {other.name}: "
            f"`crivo repeat {other.name} --folds {len(folds)}`."
        )
        return show(notes=[note])
    among = frozenset([theirs[0].predictions])
    trials = Trials(history.counted, theirs[0], among, history.remembered)
    return show(trials.rule(records[0]))


def repetition_text(repetition: Repetition) -> str:
    """Return a repetition for a terminal: the recipe in one line, then each run."""
    lines: list[Line] = [*paragraph(repetition.answer), ""]
    lines.append((repetition.of, f"{repetition.primary} ±", "experiment", ""))
    lines += [(one.run, value_text(one), one.name, "") for one in repetition.runs]
    if repetition.against:
        reference = shorten_name(f"vs {repetition.reference}", DIFFERENCE)
        lines += ["", ("metric", "", reference, "verdict")]
        lines += [(one.metric, "", difference_text(one), one.verdict) for one in repetition.against]
    if repetition.note:
        lines += ["", *paragraph(repetition.note)]
    return "\n".join(columns(lines, least=WIDTHS, gap=1))
