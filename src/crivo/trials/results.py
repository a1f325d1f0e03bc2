"""The results of `crivo try` and `crivo search`: the verdict, and how much of a gain is luck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from math import nan
from typing import Literal

from crivo.comparison.compare import compare
from crivo.comparison.families import goodness, primary_of
from crivo.comparison.layout import paragraph
from crivo.comparison.result import ComparisonResult
from crivo.comparison.text import as_text, difference_digits, number
from crivo.core.results import Number, result
from crivo.core.wording import counted
from crivo.records.history import History
from crivo.records.record import Record, usable
from crivo.records.searches import KeptSearch, SearchTrial

# How many failures are named.
NAMED = 5
Outcome = Literal[
    "better", "worse", "equivalent", "identical", "undecided", "refused", "failed"
]  # fmt: skip
# What `--json` exits with.
STATUS: dict[Outcome, int] = {
    "better": 0, "worse": 1, "equivalent": 1, "identical": 1, "undecided": 2, "refused": 3,
    "failed": 3,
}  # fmt: skip


@result
class TryResult:
    """The result of a trial; if nothing ran or it failed, only the first three fields are set."""

    outcome: Outcome
    """The verdict on the primary metric; `refused`, if nothing ran or the result can't be compared;
    or `failed`."""
    error: str | None
    """Why it was refused or failed, and what to do."""
    stop: bool
    """Whether the budget was used up already, so that this trial didn't run."""
    experiment: str | None = None
    """The experiment's name."""
    seconds: Number = nan
    """How long it ran, in seconds; null if this wasn't recorded."""
    comparison: ComparisonResult | None = None
    """The trial compared with the reference: `experiments` contains only the trial."""


def try_result(name: str, compared: ComparisonResult, seconds: float) -> TryResult:
    """Return the result of a trial that ran and was compared."""
    if compared.refused:
        (why,) = compared.refused
        error = f"{why.reason}; {why.advice}"
        return TryResult("refused", error, False, name, seconds, compared)
    (trial,) = compared.experiments
    verdict = trial.verdict
    outcome: Outcome = "identical" if verdict == "reference" else verdict
    return TryResult(outcome, None, False, name, seconds, compared)


@result
class SearchResult:
    """The trials of a search, and whether the best of them is better."""

    outcome: Outcome
    """The verdict on the best trial; `refused`; or `failed`, if no trial has a result."""
    error: str | None
    """Why it was refused or failed, and what to do."""
    stop: bool = False
    """Always false, because a search has no budget."""
    search: str = ""
    """The search's name."""
    finished: bool = False
    """Whether all requested trials were run."""
    sampler: str = ""
    """`tpe`, `random` or `grid`."""
    seed: int = 0
    """The seed of the proposals."""
    space: Mapping[str, str] = field(default_factory=dict)
    """The settings that were searched, each with its range as it was given."""
    trials: tuple[SearchTrial, ...] = ()
    """The trials, in the order in which they were proposed."""
    best: str | None = None
    """The experiment of the best trial."""
    revision: str | None = None
    """The commit that records this experiment."""
    luck: Number = nan
    """How much of its difference from the reference is due to the selection; null if another model
    on these rows looks better."""
    comparison: ComparisonResult | None = None
    """The best trial compared with the reference."""
    notes: tuple[str, ...] = ()
    """Further notes for the reader."""


def result_of(search: KeptSearch, other: Record, history: History, size: int) -> SearchResult:
    """Return a search with its best trial compared with the reference, `other`.

    `size`: how many points the grid has, 0 if it is none.
    """
    failed = [one.error for one in search.trials if one.state == "failed"]
    result = SearchResult(
        outcome="failed",
        error=f"No trial has a result. {failed[0] if failed else 'None was run.'}",
        search=search.name,
        finished=search.wanted is not None and len(search.trials) >= search.wanted,
        sampler=search.sampler,
        seed=search.seed,
        space=search.space,
        trials=search.trials,
        notes=(*_failures(search), *_how_to_go_on(search, size)),
    )
    best = _best(search, other, history)
    if best is None:
        return result
    found = compare([best.origin.revision], against=search.against, history=history)
    result = replace(
        result,
        error="; ".join(one.reason for one in found.refused) or "The best trial can't be compared.",
        best=best.name,
        revision=best.origin.revision,
        comparison=found,
    )
    if not found.experiments:
        return result
    word, luck = found.experiments[0].verdict, _luck(found)
    return replace(
        result,
        outcome="identical" if word == "reference" else word,
        error=None,
        luck=luck,
        notes=(*_luck_note(found, luck), *result.notes),
    )


def _best(search: KeptSearch, other: Record, history: History) -> Record | None:
    """Return the best trial: the first of equals, the reference itself only if it is all."""
    metric, known = primary_of(other), {one.origin.revision: one for one in history.records}
    trials = [known[one.revision] for one in search.trials if one.whole and one.revision in known]

    def worth(one: Record) -> tuple[bool, bool, float]:
        differs = one.predictions != other.predictions
        is_other = one.origin.revision != other.origin.revision
        return differs, is_other, goodness(metric, one.estimate(metric.name).value)

    return max(filter(usable, trials), key=worth, default=None)


def _luck(found: ComparisonResult) -> float:
    """Return by how much the estimate after selection is less than the best trial's value."""
    (best,) = found.experiments
    after = {one.name: one.value for one in found.after_selection}
    if found.scales[found.primary].best is not None:  # a distance isn't estimated
        return nan
    return best.value - after[best.name] if best.name in after else nan


def _luck_note(found: ComparisonResult, luck: float) -> Iterator[str]:
    """Say how much of a gain is luck; the estimate leaves some even where there is no gain."""
    (best,) = found.experiments
    sign = 1 if found.scales[found.primary].direction == "higher" else -1
    if not sign * best.difference > 0 or luck != luck:
        return
    digits = difference_digits(best)
    raw, lost = (number(value, digits, sign=True) for value in (best.difference, luck))
    some = f"{f'about {lost}' if round(luck, digits) else 'almost none'} of it is luck"
    if sign * (best.difference - luck) <= 0:
        some = "all of it may be luck"
    elif best.verdict != "better":
        some += ", though all of it may be"
    yield f"Raw gain in {found.primary}: {raw}; {some}."


def _failures(search: KeptSearch) -> Iterator[str]:
    failed = [one for one in search.trials if one.state == "failed"]
    for one in failed[:NAMED]:
        values = [f"{key.rpartition('.')[2]}={value}" for key, value in one.values.items()]
        yield f"Failed: trial {one.number + 1} ({', '.join(values)}): {one.reason}"
    if len(failed) > NAMED:
        yield f"{len(failed) - NAMED} more failed; `--json` lists all, with what they printed."


def _how_to_go_on(search: KeptSearch, size: int) -> Iterator[str]:
    """Say how the trials are run that weren't."""
    told, command = len(search.trials), f"crivo search --resume {search.name}"
    if search.wanted is None:
        yield f"Time is up; `{command} --minutes 30` runs more trials."
    elif told < search.wanted:
        yield f"The search has run {told} of {search.wanted} trials; `{command}` runs the others."
    elif told < size:
        yield f"The grid has {size} points; `{command} --trials {size}` runs the others."


def search_text(found: SearchResult) -> str:
    """Return the end of a search: what was run, the verdict, how much is luck, what to do."""
    words = {"done": "run", "known": "known before", "failed": "failed"}
    states = Counter[str](one.state for one in found.trials)
    counts = ", ".join(f"{states[state]} {word}" for state, word in words.items() if states[state])
    about = f"{found.search} ({found.sampler}, seed {found.seed})"
    lines = [f"{about}: {counted(len(found.trials), 'trial')}: {counts or 'none'}."]
    if found.comparison is None:
        lines.append("No trial has a result, so there is nothing to compare.")
    else:
        lines += ["", as_text(found.comparison), ""]
    return "\n".join([*lines, *(line for note in found.notes for line in paragraph(note))])
