"""The result of a search: its best trial, the reference, and how much of the gain is luck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from crivo.comparison.choice import Filters
from crivo.comparison.compare import compare
from crivo.comparison.families import goodness, primary_of
from crivo.comparison.numbers import decimals, number, with_interval
from crivo.comparison.result import ComparisonResult, Limits
from crivo.comparison.selection import selected
from crivo.comparison.text import as_text
from crivo.core.layout import a_few, counted, paragraph
from crivo.core.results import Number, result
from crivo.records.history import History, reference
from crivo.records.record import Record, usable
from crivo.records.searches import KeptSearch, SearchTrial
from crivo.trials.search.space import Space, at_edge

# How many failures and trials are named.
NAMED = 5
Outcome = Literal[
    "better", "worse", "equivalent", "identical", "undecided", "refused", "failed"
]  # fmt: skip


@result
class SearchGain(Limits):
    """The gain of the best trial in the primary metric, before and after the selection."""

    metric: str
    """The primary metric."""
    raw: Number
    """The trial's value minus the reference's."""
    after: Number
    """The gain according to the estimate after selection."""
    luck: Number | None
    """The raw gain minus the gain that remains; null if it isn't estimated, because another model
    on these rows looks better."""
    among: int
    """How many models it was chosen from."""
    sign: Literal[1, -1]
    """1 if a greater value is better, -1 if a smaller one is."""


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
    gain: SearchGain | None = None
    """The gain of the best trial; null if there was no selection."""
    comparison: ComparisonResult | None = None
    """The best trial compared with the reference."""
    notes: tuple[str, ...] = ()
    """Further notes for the reader."""


def result_of(
    search: KeptSearch, space: Space, other: Record, history: History, size: int | None = None
) -> SearchResult:
    """Return a search with its best trial compared; `other`: the reference, `size`: of a grid."""
    wanted = search.wanted if size is None else min(search.wanted or size, size)
    failed = [one.error for one in search.trials if one.state == "failed"]
    result = SearchResult(
        outcome="failed",
        error=f"No trial has a result. {failed[0] if failed else 'None was run.'}",
        search=search.name,
        finished=wanted is not None and len(search.trials) >= wanted,
        sampler=search.sampler,
        seed=search.seed,
        space=search.space,
        trials=search.trials,
        notes=(
            *_failures(search),
            *_how_to_go_on(search, wanted, size),
        ),
    )
    found = _best(history, search, other)
    if found is None:
        return result
    best, record = found
    name = reference(record) if record.origin.trial else record.origin.revision
    comparison = compare([name], against=search.against, history=history)
    gain = _gain(history, record, other)
    result = replace(
        result,
        error="; ".join(one.reason for one in comparison.refused) or "The best can't be compared.",
        best=best.experiment,
        revision=best.revision,
        gain=gain,
        comparison=comparison,
    )
    notes, outcome = result.notes, result.outcome
    if comparison.experiments:
        word = comparison.experiments[0].verdict
        outcome = "identical" if word == "reference" else word
        whole = Filters(patterns=[reference(one) for _, one in _whole(history, search)])
        every = compare(against=search.against, filters=whole, history=history).candidates
        better = [one.name for one in every if one.verdict == "better"]
        result = replace(result, outcome=outcome, error=None)
        notes = (*notes, _what_to_do(best.experiment, outcome, better))
    chance = [luck(gain, shown=outcome == "better")] if gain else []
    return replace(result, notes=(*chance, *at_edge(space, best.values), *notes))


def _whole(history: History, search: KeptSearch) -> list[tuple[SearchTrial, Record]]:
    """Return the trials that can be compared, with what git holds of each."""
    known = {one.origin.revision: one for one in history.records}
    return [
        (one, known[one.revision])
        for one in search.trials
        if one.whole and one.revision in known and usable(known[one.revision])
    ]


def _best(history: History, search: KeptSearch, other: Record) -> tuple[SearchTrial, Record] | None:
    """Return the best trial: the first of equals, the reference itself only if it is all."""
    metric = primary_of(other)
    trials = _whole(history, search)
    others = [pair for pair in trials if pair[1].predictions != other.predictions]
    twins = [pair for pair in trials if pair[1].origin.revision != other.origin.revision]
    return max(
        others or twins or trials,
        key=lambda pair: goodness(metric, pair[1].estimate(metric.name).value),
        default=None,
    )


def _gain(history: History, record: Record, other: Record) -> SearchGain | None:
    metric = primary_of(other)
    found = selected(record, history.counted)
    if found is None or record.predictions == other.predictions:
        return None
    after = found.metric(metric.name)
    mine, theirs = (one.estimate(metric.name).value for one in (record, other))
    raw, kept = mine - theirs, after.value - theirs
    luck = raw - kept if found.best and metric.best is None else None
    return SearchGain(
        *after,
        metric.name,
        *(raw, kept, luck),
        among=found.among,
        sign=1 if goodness(metric, 1.0) > goodness(metric, 0.0) else -1,
    )


def _failures(search: KeptSearch) -> Iterator[str]:
    failed = [one for one in search.trials if one.state == "failed"]
    for one in failed[:NAMED]:
        values = [f"{key.rpartition('.')[2]}={value}" for key, value in one.values.items()]
        yield f"Failed: trial {one.number + 1} ({', '.join(values)}): {one.reason}"
    if len(failed) > NAMED:
        yield f"{len(failed) - NAMED} more failed; `--json` lists all, with what they printed."


def _how_to_go_on(search: KeptSearch, wanted: int | None, size: int | None) -> Iterator[str]:
    """Say how the trials are run that weren't."""
    told, command = len(search.trials), f"crivo search --resume {search.name}"
    if wanted is None:
        yield f"The time is up; `{command} --minutes 30` runs more trials."
    elif told < wanted:
        yield f"{told} of {wanted} trials are done; `{command}` runs the others."
    elif size is not None and told < size:
        yield f"The grid has {size} points; `{command} --trials {size}` runs the others."


def _what_to_do(name: str, outcome: str, better: Sequence[str]) -> str:
    """Say what may be confirmed; `better`: the trials that are shown to be, the best first."""
    if outcome == "better":
        return f"`crivo confirm {name}` says whether the gain holds on the test rows."
    if outcome == "identical":
        return (
            f"The best trial, {name}, doesn't differ from the reference in the primary metric, so "
            "there is nothing to confirm."
        )
    if better:
        return (
            f"The best trial, {name}, is {outcome}. Shown to be better: {a_few(better, NAMED)}. "
            f"`crivo confirm {better[0]}` says whether the gain of {better[0]} holds on the test "
            "rows."
        )
    return (
        "No trial is shown to be better, so there is nothing to confirm. The best trial, "
        f"{name}, is {outcome}."
    )


def luck(gain: SearchGain, *, shown: bool) -> str:
    """Say how much of a gain goes when the selection is allowed for.

    `shown`: that there is a gain at all is shown. The estimate itself leaves some where there is
    none.
    """
    digits = decimals((gain.high - gain.low) / 4)
    raw, after = (number(value, digits, sign=True) for value in (gain.raw, gain.after))
    value = with_interval(gain.value, gain.low, gain.high)
    text = f"Raw gain in {gain.metric}: {raw}. "
    if gain.luck is None:
        text += f"With an interval that allows for all {gain.among} models on these rows, "
        text += f"{gain.metric} is {value}. "
    else:
        text += f"The trial was chosen from {gain.among} models on these rows. After this "
        text += f"selection, {gain.metric} is {value}, a gain of {after}. "
    if gain.sign * gain.raw <= 0:
        return f"{text}There was no gain to begin with."
    if gain.luck is None:
        return f"{text}How much of a gain is luck is estimated only for the best of all models."
    if gain.sign * gain.after <= 0:
        return f"{text}All of the gain may be luck."
    lost = number(gain.luck, digits, sign=True)
    some = f"About {lost} of the raw gain" if round(gain.luck, digits) else "Almost none of it"
    return f"{text}{some} is luck{'' if shown else ', though all of it may be'}."


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
