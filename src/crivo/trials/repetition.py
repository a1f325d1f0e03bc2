"""`crivo repeat`: runs a recipe again over seeds or folds, and summarises the runs.

The statistics are in `crivo.comparison.recipes`; `--fractions` is in `learning_curve`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from crivo.comparison.choice import Choice, choose
from crivo.comparison.families import Trials, primary_of
from crivo.comparison.layout import columns, paragraph
from crivo.comparison.recipes import (
    MIN_SEEDS,
    OverFolds,
    Recipe,
    RecipeVerdict,
    compare_runs,
    recipe_of,
)
from crivo.comparison.result import Limits, Rule
from crivo.comparison.text import (
    DIFFERENCE,
    WIDTHS,
    Line,
    decimals,
    difference_text,
    number,
    shorten_name,
    value_text,
    with_interval,
)
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.results import result
from crivo.records.cached import Store
from crivo.records.comparability import recipe_key, require_whole_on_validation
from crivo.records.history import History, keep_trials, read_history
from crivo.records.record import Record, require
from crivo.records.settings import chosen_block, valid_name
from crivo.statistics.departures import autocorrelation, looks_serial
from crivo.statistics.intervals import difference
from crivo.trials.trial import Run, known_runs, runs_of


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
    recipe: str
    """The experiment that was repeated."""
    summary: Limits
    """The mean of the primary metric over the runs, with its interval."""
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
    limits, against = recipe.interval(metric), tuple[RecipeVerdict, ...]()
    if other and rule:
        against = compare_runs(recipe, other, rule.spent)
        notes = [*notes, _caution(recipe, other)]
    found = Repetition(
        answer="",
        of=of,
        primary=metric.name,
        recipe=recipe.name,
        summary=Limits(float(recipe.values(metric.name).mean()), limits.low, limits.high),
        runs=tuple(
            RunOfRecipe(own["value"], own["low"], own["high"], title, run.name)
            for title, run in zip(titles, recipe.runs, strict=True)
            if (own := run.intervals[metric.name])
        ),
        against=against,
        reference=other.name if other else "",
        rule=rule,
        note=" ".join(filter(None, notes)),
    )
    return replace(found, answer=_answer(found))


def _caution(one: Recipe, other: Recipe) -> str:
    """Warn of neighbouring clusters that differ alike in the primary metric."""
    metric = primary_of(one.runs[0])
    found = difference(metric, one.estimate(metric.name), other.estimate(metric.name)).deleted
    if not (one.runs[0].in_order and looks_serial(found)):
        return ""
    return (
        f"Differences in neighbouring clusters are correlated in {metric.name} (autocorrelation "
        f"{autocorrelation(found):.2f}): this interval may be too narrow. Use longer "
        "blocks (evaluate.block)."
    )


def _answer(found: Repetition) -> str:
    """Return the recipe in one line. A verdict over seeds leaves the training rows as they are."""
    one, of, values = found.summary, found.of, [run.value for run in found.runs]
    digits = decimals(one.low, one.high)
    text = (
        f"{found.recipe} over {len(values)} {of}: {found.primary} "
        f"{with_interval(one.value, one.low, one.high, digits)}, "
        f"individual {of} {number(min(values), digits)} to {number(max(values), digits)}"
    )
    if not found.against:
        return text
    claim = "recipes trained on these rows" if of == "seeds" else "recipes"
    first = found.against[0]
    verdict = f"{first.verdict} vs {found.reference}, as {claim}"
    return f"{text}; {verdict}: {difference_text(first)}; {found.rule}"


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
    for option, count in (("--seeds", seeds), ("--folds", folds)):
        if count is not None and count < 2:
            raise CrivoError(f"{option} is {count}; expected 2 or more.")
    history = read_history(folder)
    record = require_whole_on_validation(history.find(revision))
    choice = choose(history, [revision], against=against)
    if folds is not None:
        runs = plan_folds(record, folds, Store(history.repository))
    else:
        runs = _new_seeds(record, recipe_of(history, record).seeds, seeds or 0)
    records = runs_of(history, record, runs, scheduler=scheduler, workers=workers)
    history = read_history(folder)
    keep_trials(history)
    alone = choice.reference.origin.revision == record.origin.revision
    other = None if alone else choice.reference
    if folds is not None:
        return _over_folds(history, record, other, runs, [require(one) for one in records])
    return _over_seeds(history, record, other, choice)


def _new_seeds(record: Record, known: Sequence[Any], count: int) -> list[Run]:
    """Return the runs that are lacking to so many seeds; the next free ones are taken."""
    first = int(record.settings.get("seed") or 0)
    free = [seed for seed in range(first, first + count + len(known)) if seed not in known]
    return [
        Run("seed", valid_name(f"{record.name}-seed={seed}"), (f"seed={seed}",), f"seed {seed}")
        for seed in free[: max(count - len(known), 0)]
    ]


def _over_seeds(
    history: History, record: Record, other: Record | None, choice: Choice
) -> Repetition:
    """Summarise a recipe over its seeds; its verdict spends what a trial in its place may."""
    recipe, rule, notes = recipe_of(history, record), None, list[str]()
    theirs = recipe_of(history, other) if other else None
    if (runs := len(recipe.runs)) > 1 and recipe.seedless:
        notes.append(f"No seed changes {recipe.name}: all {runs} runs gave the same numbers.")
    mine, others = recipe_key(record), recipe_key(other or record)
    # Of another recipe, with the same metrics on the same rows.
    if other and theirs and mine != others and mine[:2] == others[:2]:
        if len(theirs.runs) < MIN_SEEDS:
            notes.append(
                f"A verdict about recipes needs {MIN_SEEDS} seeds each; {other.name} has "
                f"{len(theirs.runs)}: `crivo repeat {other.name} --seeds {MIN_SEEDS}`."
            )
        trials = Trials(history.counted, choice.reference, choice.among, history.remembered)
        rule = trials.rule(record)
    titles = [f"seed {seed}" for seed in recipe.seeds]
    return summarise(recipe, "seeds", titles, theirs, rule, notes)


def plan_folds(record: Record, count: int, store: Store) -> list[Run]:
    """Return the folds of a record's split as runs; CrivoError when it can't be split so often."""
    splitter, name = chosen_block("splitter", record.settings), record.settings["splitter"]

    def first_moment() -> Any:
        time = store.schema(record).time
        path = store.path(record, "data/prepared/train.parquet")
        return artifacts.read_table(path, [str(time)])[time].min()

    folds = splitter.folds(count, first_moment)
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


def _over_folds(
    history: History,
    record: Record,
    other: Record | None,
    folds: Sequence[Run],
    records: Sequence[Record],
) -> Repetition:
    """Summarise a recipe over its folds; for a verdict, the reference needs the same folds."""
    # Each is taught by what came before it, and not by all other folds.
    in_time = any(".valid_from=" in setting for fold in folds for setting in fold.settings)
    theirs, rule, notes = None, None, list[str]()
    if other is not None:
        known = known_runs(history, other, folds)
        runs = [
            found
            for fold, mine in zip(folds, records, strict=True)
            if (found := known.get(fold.name)) and found.about["rows"] == mine.about["rows"]
        ]
        theirs = OverFolds(other.name, tuple(runs), in_time)
        if len(runs) < len(folds):
            notes.append(
                f"A verdict about recipes needs the same folds of {other.name}: "
                f"`crivo repeat {other.name} --folds {len(folds)}`."
            )
        else:
            (first, *_), (own, *_) = runs, records
            among = frozenset([first.predictions])
            rule = Trials(history.counted, first, among, history.remembered).rule(own)
    recipe = OverFolds(record.name, tuple(records), in_time)
    titles = [fold.title.partition(", ")[2] for fold in folds]
    return summarise(recipe, "folds", titles, theirs, rule, notes)


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
