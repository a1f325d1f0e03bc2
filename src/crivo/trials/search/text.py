"""The result of a search as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from crivo.comparison.numbers import bracket, decimals, number
from crivo.comparison.text import as_text
from crivo.core.layout import a_few, paragraph
from crivo.records.searches import SearchTrial
from crivo.trials.search.result import SearchGain, SearchResult

# How many failures and trials are named.
NAMED = 5


def search_text(result: SearchResult) -> str:
    """Return the end of a search: what was run, the verdict, how much is luck, what to do."""
    lines = [heading(result)]
    if result.comparison is None:
        lines.append("No trial has a result, so there is nothing to compare.")
    else:
        lines += ["", as_text(result.comparison), ""]
    lines += [line for note in notes(result) for line in paragraph(note)]
    return "\n".join(lines)


def heading(result: SearchResult) -> str:
    """Return the first line: how many trials there were, and what became of them."""
    search = result.search
    words = {"done": "run", "known": "known before", "stopped": "stopped early",
             "failed": "failed"}  # fmt: skip
    counts = [f"{result.count(state)} {word}" for state, word in words.items()
              if result.count(state)]  # fmt: skip
    what = f"{search.sampler}, seed {search.seed}"
    total = f"{len(search.trials)} trial{'' if len(search.trials) == 1 else 's'}"
    return f"{search.name} ({what}): {total}: {', '.join(counts) or 'none'}."


def notes(result: SearchResult) -> Iterator[str]:
    """Yield what a reader must know besides, and what to do next."""
    if result.gain is not None:
        yield luck(result.gain, shown=result.verdict == "better")
    for edge in result.edges:
        yield str(edge)
    yield from _failures(result)
    if result.removed:
        yield (
            f"These trials count, but their experiments were removed, so they can't be the best: "
            f"{a_few(result.removed, NAMED)}."
        )
    if not result.finished:
        yield _how_to_go_on(result)
    elif result.size is not None and len(result.search.trials) < result.size:
        yield (
            f"The grid has {result.size} points; `crivo search --resume {result.search.name} "
            f"--trials {result.size}` runs the others."
        )
    if result.best is None or result.verdict is None:
        return
    name = result.best.experiment
    if result.verdict == "better":
        yield f"`crivo confirm {name}` says whether the gain holds on the test rows."
    elif result.verdict == "identical":
        yield (
            f"The best trial, {name}, doesn't differ from the reference in the primary metric, so "
            "there is nothing to confirm."
        )
    elif result.better:
        first = result.better[0]
        yield (
            f"The best trial, {name}, is {result.verdict}. Shown to be better: "
            f"{a_few(result.better, NAMED)}. `crivo confirm {first}` says whether the gain of "
            f"{first} holds on the test rows."
        )
    else:
        yield (
            f"No trial is shown to be better, so there is nothing to confirm. The best trial, "
            f"{name}, is {result.verdict}."
        )


def _how_to_go_on(result: SearchResult) -> str:
    command = f"crivo search --resume {result.search.name}"
    if result.wanted is None:
        return f"The time is up; `{command} --minutes 30` runs more trials."
    return (
        f"{len(result.search.trials)} of {result.wanted} trials are done; `{command}` runs the "
        "others."
    )


def luck(gain: SearchGain, *, shown: bool) -> str:
    """Say how much of a gain goes when the selection is allowed for.

    `shown`: that there is a gain at all is shown. The estimate itself leaves some where there is
    none.
    """
    digits = decimals((gain.high - gain.low) / 4)
    raw, after = (number(value, digits, sign=True) for value in (gain.raw, gain.after))
    value = f"{number(gain.value, digits)} {bracket(gain.low, gain.high, digits)}"
    text = f"Raw gain in {gain.metric}: {raw}. "
    if gain.luck is None:
        text += f"With an interval that allows for all {gain.among} models on these rows, "
        text += f"{gain.metric} is {value}. "
        if gain.sign * gain.raw <= 0:
            return f"{text}There was no gain to begin with."
        return f"{text}How much of a gain is luck is estimated only for the best of all models."
    text += f"The trial was chosen among {gain.among} models on these rows. After this selection, "
    text += f"{gain.metric} is {value}, a gain of {after}: "
    if gain.sign * gain.raw <= 0:
        return f"{text}there was no gain to begin with."
    if gain.sign * gain.after <= 0:
        return f"{text}all of the gain may be luck."
    lost = number(gain.luck, digits, sign=True)
    what = f"about {lost} of the raw gain is luck" if float(lost) else "almost none of it is luck"
    if not shown:
        return f"{text}{what}, though all of it may be."
    return f"{text}{what}."


def _failures(result: SearchResult) -> Iterator[str]:
    failed = [one for one in result.search.trials if one.state == "failed"]
    for one in failed[:NAMED]:
        yield f"Failed: {_title(one)}: {one.reason}"
    if len(failed) > NAMED:
        yield f"{len(failed) - NAMED} more failed; `--json` lists all, with what they printed."


def _title(trial: SearchTrial) -> str:
    values = ", ".join(f"{key.rpartition('.')[2]}={one}" for key, one in trial.values.items())
    return f"trial {trial.number + 1} ({values})"
