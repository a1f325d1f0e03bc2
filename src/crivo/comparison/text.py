"""A comparison's result as text for a terminal, Markdown and HTML; its first line is the answer.

Numbers have as many digits as their uncertainty allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import isfinite, nan
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import pandas as pd

from crivo.comparison.layout import columns, paragraph
from crivo.core.text_guard import escape_markdown
from crivo.evaluation.report import numbers
from crivo.evaluation.report.numbers import digits_of

if TYPE_CHECKING:
    from crivo.comparison.result import ComparisonResult, ExperimentVerdict


# The least widths of a table's columns: what is compared, its value, the difference.
WIDTHS = (26, 14, 27)
NAME, _, DIFFERENCE = WIDTHS
Line = str | tuple[str, ...]
NOTHING = "no metric differs at all"
NO_MATCH = "no experiment matches the filters"
SENTENCES = {
    "better": "{} is better than {}",
    "worse": "{} is worse than {}",
    "equivalent": "{} is equivalent to {}",
    "identical": "{} is identical to {}",
    "equal": "{} is equal to {}",
    "undecided": "{} vs {} is undecided",
}


# What to do after a verdict; no row is left to choose on once test rows were looked at.
NEXT = {
    "better": "{weigh}`crivo confirm {name}` evaluates it on the test rows, once you have "
    "chosen it.",
    "worse": "keep {reference}, and try something else.",
    "equivalent": "keep the simpler or faster model.",
    "identical": (
        "`crivo report {name}` shows what isn't compared, such as slices, the value and added "
        "metrics. If you expected a difference, check that a stage reads the change; after a full "
        "run, `crivo check` names settings that no stage reads."
    ),
    "equal": "keep {reference}, unless another metric that matters to you is better.",
    "undecided": "keep {reference} until you have more data. {needed}",
}


def answer(found: ComparisonResult) -> str:
    """Return the comparison's first line: the verdict about the best candidate.

    `slower vs main is undecided: roc_auc +0.0024 [−0.0012, +0.0061] (detectable: ≥ 0.0052);
    no metric is shown to be worse; interval corrected for multiple trials (trial 3 of 14)`
    """
    if not found.candidates:
        return _nothing(found)
    best = _best(found)
    sentence = SENTENCES[verdict_text(best)].format(best.name, found.reference)
    if verdict_text(best) == "identical":
        return f"{sentence}: {NOTHING}"
    if verdict_text(best) == "equal":
        return f"{sentence} in {found.primary}; {other_metrics(best)}; {found.rule(best)}"
    detectable = ""
    if best.verdict == "undecided" and isfinite(best.minimum_detectable):
        least = number(best.minimum_detectable, difference_digits(best))
        detectable = f" (detectable: ≥ {least})"
    told = f"{found.primary} {difference_text(best)}{detectable}; {other_metrics(best)}"
    return f"{sentence}: {told}; {found.rule(best)}"


def next_step(found: ComparisonResult) -> str:
    """Return what the verdict about the best candidate suggests; empty if it suggests nothing."""
    if not found.candidates or found.split == "test":
        return ""
    best = _best(found)
    planned = isfinite(best.metrics[0].clusters_needed)
    plan = f" `crivo plan {best.name}` also allows for other true differences." if planned else ""
    words = {
        "name": best.name,
        "reference": found.reference,
        "needed": f"{needed_clusters(best.metrics[0])}{plan}",
        "weigh": f"weigh the gain against {best.worse}. " if best.worse else "",
    }
    return f"Next: {NEXT[verdict_text(best)].format(**words).strip()}"


def verdict_text(one: ExperimentVerdict) -> str:
    """Return the verdict, `equal` if another metric differs: the same order has one ROC AUC."""
    unchanged = all(metric.verdict == "identical" for metric in one.metrics)
    return "equal" if one.verdict == "identical" and not unchanged else one.verdict


def _best(found: ComparisonResult) -> ExperimentVerdict:
    """Return the best candidate; one that is identical to the reference answers nothing."""
    different = [one for one in found.candidates if one.verdict != "identical"]
    return (different or found.candidates)[0]


def _nothing(found: ComparisonResult) -> str:
    """Say that nothing was compared, and why."""
    if not found.refused:
        if not found.experiments:
            return NO_MATCH
        return (
            f"there is nothing to compare with {found.reference}, which is the reference; `crivo "
            "try key=value` makes an experiment, and --against names another reference"
        )
    if len(found.refused) == 1:
        (one,) = found.refused
        return f"refused: {one.name}: {one.reason}"
    count = len(found.refused)
    return f"refused: none of {count} experiments can be compared with {found.reference}"


def cells(row: Any) -> tuple[str, str]:
    """Return a metric with half its interval, and the difference with its interval, as texts."""
    return value_text(row), "–" if row.verdict == "reference" else difference_text(row)


def other_metrics(row: Any) -> str:
    """Say what is shown of the other metrics: harm, and no harm; the rest is in neither list."""
    also, other = ("also ", "other ") if row.verdict == "worse" else ("", "")
    no_harm = f"no {other}metric is shown to be worse"
    worse = f"{also}worse in {row.worse}" if row.worse else no_harm
    return f"{worse}; not worse in {row.not_worse}" if row.not_worse else worse


def needed_clusters(row: Any) -> str:
    """Return how many clusters would decide what these leave undecided; empty elsewhere."""
    needed = row.clusters_needed
    if row.verdict != "undecided" or needed != needed:
        return ""
    if not isfinite(needed):
        return (
            f"Even a hundred times as many {row.unit} as these {row.units:,.0f} wouldn't be enough "
            "for such a small difference."
        )
    return (
        f"There are {row.present}; with {row.amount(needed)} like these, there would be an 80 % "
        "chance of a decision if the observed difference were the true one."
    )


def as_text(found: ComparisonResult, *, details: bool = False) -> str:
    """Return the comparison for a terminal."""
    lines: list[Line] = [found.answer]
    if found.experiments:
        reference = shorten_name(f"vs {found.reference}", DIFFERENCE)
        lines += ["", ("experiment", f"{found.primary} ±", reference, "verdict")]
        for one in found.experiments:
            lines += _experiment(one)
            if details:
                lines += _details(one)
        lines += unlisted(found)
    if found.refused:
        lines += ["", "Refused:"]
        for advice in dict.fromkeys(refusal.advice for refusal in found.refused):
            for refusal in found.refused:
                if refusal.advice == advice:
                    lines += paragraph(f"{refusal.name}: {refusal.reason}.", "  ")
            lines += paragraph(f"→ {advice}.", "    ")
    if found.notes:
        lines += ["", *(line for note in found.notes for line in paragraph(note))]
    return "\n".join(columns(lines, least=WIDTHS, gap=1))


def unlisted(found: ComparisonResult) -> list[str]:
    """Say how many experiments a limit left out, in a line; none if it left out none."""
    words = "--all lists all experiments, and --where selects some"
    return [f"{found.unlisted:,} more; {words}"] if found.unlisted else []


def shorten_name(text: str, width: int) -> str:
    """Return a text cut to a width."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _named_row(name: str, *cells: str) -> Iterator[Line]:
    """Yield a row; below a line of its own if the name is long, as two may begin alike."""
    if len(name) > NAME:
        yield name
    yield ("" if len(name) > NAME else name, *cells)


def _experiment(one: ExperimentVerdict) -> Iterator[Line]:
    """Yield an experiment's lines: its numbers, then what it is."""
    also = "also " if one.verdict == "worse" else ""
    about = (
        "★" if one.starred else "",
        one.changed,
        f"{also}worse in {one.worse}" if one.worse else "",
        f"not worse in {one.not_worse}" if one.not_worse else "",
        NOTHING if verdict_text(one) == "identical" else "",
        f"{one.author}, {one.when:%Y-%m-%d}" if one.author else "",
        f"“{one.message}”" if one.message else "",
    )
    yield from _named_row(one.name, *cells(one), verdict_text(one))
    yield from paragraph("; ".join(filter(None, about)), "  ")


def _details(one: ExperimentVerdict) -> Iterator[Line]:
    """Yield the model's size, a line for each metric, bad slices and notes."""
    if one.model_bytes:
        yield f"    model file: {one.model_bytes / 1e6:,.2f} MB"
    for metric in one.metrics:
        only = metric.not_worse and metric.verdict == "undecided"
        verdict = "undecided, not worse" if only else metric.verdict
        yield from _named_row(f"    {metric.metric}", *cells(metric), verdict)
    yield from paragraph(needed_clusters(one.metrics[0]), "    ")
    for part in one.worse_slices:
        yield from _named_row(f"    {part.slice}", value_text(part), "worse than the other rows")
    for note in one.notes:
        yield from paragraph(f"note: {note}", "    ")


def as_markdown(found: ComparisonResult) -> str:
    """Return the comparison as Markdown, for a pull request or a job's summary."""
    lines = [f"**{escape_markdown(found.answer)}**"]
    if found.experiments:
        table = as_frame(found).reset_index()
        lines += ["", *_table([*table], table.to_numpy().tolist())]
        lines += [text for line in unlisted(found) for text in ("", line)]
    if found.refused:
        rows = [[one.name, one.reason, one.advice] for one in found.refused]
        lines += ["", *_table(["refused", "why", "what to do"], rows)]
    lines += [text for note in found.notes for text in ("", escape_markdown(note))]
    return "\n".join(lines)


def _cells(found: ComparisonResult, one: ExperimentVerdict) -> dict[str, str]:
    """Return an experiment's cells by the headings of their columns."""
    value, difference = cells(one)
    worse = [found.primary if one.verdict == "worse" else "", one.worse]
    return {
        "experiment": one.name,
        "changed": one.changed,
        found.primary: value,
        f"vs {found.reference}": difference,
        "verdict": verdict_text(one),
        "worse in": ", ".join(filter(None, worse)) or "–",
        "author": one.author,
        "date": f"{one.when:%Y-%m-%d}",
        "message": shorten(one.message, 200),
    }


def as_frame(found: ComparisonResult) -> pd.DataFrame:
    """Return the comparison's table as texts, a row per experiment, as Markdown has them."""
    rows = [_cells(found, one) for one in found.experiments]
    return pd.DataFrame(rows or {"experiment": []}).set_index("experiment")


def as_html(found: ComparisonResult) -> str:
    """Return the comparison for a notebook: the answer, the table, the notes below it."""
    answered = f"<p><strong>{escape(found.answer)}</strong></p>"
    notes = "".join(f"<p>{escape(note)}</p>" for note in found.notes)
    return f"{answered}{as_frame(found).to_html()}{notes}"


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    cells = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(map(escape_markdown, row))} |" for row in cells]


def number(value: float, digits: int, *, sign: bool = False) -> str:
    """Return a number as a report does; a dash when it is missing.

    >>> number(26432.4, 0), number(-0.0012, 4, sign=True), number(-0.0, 2, sign=True)
    ('26,432', '−0.0012', '+0.00')
    """
    return numbers.number(value, digits, sign=sign) if isfinite(value) else "–"


def decimals(low: float, high: float) -> int:
    """Return how many decimals suit an interval: below 0 for whole tens; 4 if it has no width.

    >>> decimals(0.001, 0.0082), decimals(580, 3027), decimals(1.0, 1.0)
    (4, -1, 4)
    """
    digits = digits_of(low, high)
    return 4 if digits is None else digits


def with_interval(
    value: float, low: float, high: float, digits: int | None = None, *, sign: bool = False
) -> str:
    """Return a number with its interval, with as many digits as this allows if none are given.

    >>> with_interval(0.00242, -0.00121, 0.0061, sign=True)
    '+0.0024 [−0.0012, +0.0061]'
    """
    digits = decimals(low, high) if digits is None else digits
    texts = [number(one, digits, sign=sign) for one in (value, low, high)]
    return "{} [{}, {}]".format(*texts)


def value_text(row: Any) -> str:
    """Return a metric with half its interval, from what has `value`, `low` and `high`."""
    digits = decimals(row.low, row.high)
    return f"{number(row.value, digits)} ±{number((row.high - row.low) / 2, digits)}"


def difference_digits(row: Any) -> int:
    """Return the digits that the uncertainty of a row's difference allows, or of its value."""
    digits = digits_of(row.difference_low, row.difference_high)
    # Two recipes that give the same in every run have a difference without width and no values.
    own = getattr(row, "low", nan), getattr(row, "high", nan)
    return decimals(*own) if digits is None else digits


def difference_text(row: Any) -> str:
    """Return a row's difference with its interval; 0 where all of it is 0.

    >>> from crivo.comparison.recipes import RecipeVerdict
    >>> difference_text(RecipeVerdict("rmse", 0.0, 0.0, 0.0, 0.0, "identical"))
    '0'
    """
    ends = row.difference_low, row.difference_high
    if not any(ends):
        return "0"
    return with_interval(row.difference, *ends, difference_digits(row), sign=True)
