"""Results of `crivo repeat`: a recipe's runs over seeds or folds, and the recipe as one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from crivo.comparison.families import primary_of
from crivo.comparison.numbers import decimals, difference_text, number, with_interval
from crivo.comparison.recipes import RecipeVerdict, Runs
from crivo.comparison.result import Rule
from crivo.core.results import Number, result


@result
class Summary:
    """A recipe, summarised over its runs."""

    recipe: str
    """The experiment that was repeated."""
    runs: int
    """The number of runs."""
    value: Number
    """The mean of the primary metric over all runs."""
    low: Number
    """The lower end of its 95 % interval, which allows for the choice of seeds or training rows."""
    high: Number
    """The upper end of that interval."""
    least: Number
    """The lowest value of a single run."""
    greatest: Number
    """The highest value of a single run."""


@result
class RunOfRecipe:
    """One run of a recipe."""

    run: str
    """The run's seed or fold."""
    name: str
    """The experiment that records the run."""
    value: Number
    """The primary metric."""
    low: Number
    """The lower end of its 95 % interval."""
    high: Number
    """The upper end of that interval."""


@result
class Repetition:
    """A recipe over seeds or folds, and how it differs from the reference's."""

    answer: str
    """The first line of the text output."""
    of: Literal["seeds", "folds"]
    """In what the runs differ."""
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
    """What a reader must know in addition."""


def repetition_of(
    recipe: Runs,
    of: Literal["seeds", "folds"],
    titles: Sequence[str],
    *,
    reference: str = "",
    against: tuple[RecipeVerdict, ...] = (),
    rule: Rule | None = None,
    note: str = "",
) -> Repetition:
    """Return a recipe as one row, and its runs by their `titles`."""
    metric = primary_of(recipe.runs[0])
    values, limits = recipe.values(metric.name), recipe.interval(metric)
    ends = limits.low, limits.high, float(values.min()), float(values.max())
    one = Summary(recipe.name, len(values), float(values.mean()), *ends)
    return Repetition(
        answer=_answer(one, of, metric.name, against, reference, rule),
        of=of,
        primary=metric.name,
        summary=one,
        runs=tuple(
            RunOfRecipe(title, run.name, own["value"], own["low"], own["high"])
            for title, run in zip(titles, recipe.runs, strict=True)
            if (own := run.interval(metric.name))
        ),
        against=against,
        reference=reference,
        rule=rule,
        note=note,
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
