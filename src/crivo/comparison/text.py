"""A comparison, and a recipe's runs, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from html import escape
from textwrap import shorten

import pandas as pd

from crivo.comparison.claims import (
    NOTHING,
    all_worse,
    cells,
    difference_text,
    needed_clusters,
    value_text,
    verdict_words,
)
from crivo.comparison.numbers import age
from crivo.comparison.repeated import Repetition
from crivo.comparison.result import ComparisonResult, ExperimentVerdict
from crivo.core.layout import lay_out, paragraph

# The least widths of a table's columns: what is compared, its value, the difference.
WIDTHS = (26, 14, 27)
NAME, _, DIFFERENCE = WIDTHS
Line = str | tuple[str, ...]


def as_text(found: ComparisonResult, *, details: bool = False, now: datetime | None = None) -> str:
    """Return the comparison for a terminal."""
    lines: list[Line] = [found.answer]
    if found.experiments:
        reference = shorten_name(f"vs {found.reference}", DIFFERENCE)
        lines += ["", ("experiment", f"{found.primary} ±", reference, "verdict")]
        for one in found.experiments:
            lines += _experiment(one, now)
            if details:
                lines += _details(one, found)
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
    return "\n".join(lay_out(lines, WIDTHS))


def unlisted(found: ComparisonResult) -> list[str]:
    """Say how many experiments a limit left out, in a line; none if it left out none."""
    words = "more not listed: --all lists all; --where and similar options select some"
    return [f"{found.unlisted:,} {words}"] if found.unlisted else []


def shorten_name(text: str, width: int) -> str:
    """Return a text cut to a width."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _named_row(name: str, *cells: str) -> Iterator[Line]:
    """Yield a row; below a line of its own if the name is long, as two may begin alike."""
    if len(name) > NAME:
        yield name
    yield ("" if len(name) > NAME else name, *cells)


def _experiment(one: ExperimentVerdict, now: datetime | None) -> Iterator[Line]:
    """Yield an experiment's lines: its numbers, then what it is."""
    also = "also " if one.verdict == "worse" else ""
    about = (
        "★" if one.starred else "",
        one.changed,
        f"{also}worse in {one.worse}" if one.worse else "",
        f"not worse in {one.not_worse}" if one.not_worse else "",
        NOTHING if one.verdict == "identical" else "",
        f"{one.author}, {age(one.when, now)}" if one.author else "",
        f"“{one.message}”" if one.message else "",
    )
    yield from _named_row(one.name, *cells(one), one.verdict)
    yield from paragraph("; ".join(filter(None, about)), "  ")


def _details(one: ExperimentVerdict, found: ComparisonResult) -> Iterator[Line]:
    """Yield the model's size, a line for each metric, what the trial may spend, and notes."""
    if one.model_bytes:
        yield f"    model file: {one.model_bytes / 1e6:,.2f} MB"
    for metric in one.metrics:
        yield from _named_row(f"    {metric.metric}", *cells(metric), verdict_words(metric))
    yield from paragraph(needed_clusters(one.metrics[0]), "    ")
    yield from paragraph(found.rule(one).budget, "    ")
    for part in one.worse_slices:
        yield from _named_row(f"    {part.slice}", value_text(part), "worse than the other rows")
    for note in one.notes:
        yield from paragraph(f"note: {note}", "    ")


def as_markdown(found: ComparisonResult, now: datetime | None = None) -> str:
    """Return the comparison as Markdown, for a pull request or a job's summary."""
    lines = [f"**{_escaped(found.answer)}**"]
    if found.experiments:
        rows = [_cells(found, one, now) for one in found.experiments]
        heads = [*rows[0]]
        lines += ["", _md(heads), _md(["---"] * len(heads))]
        lines += [_md([*row.values()]) for row in rows]
        lines += [text for line in unlisted(found) for text in ("", line)]
    if found.refused:
        lines += ["", _md(["refused", "why", "what to do"]), _md(["---"] * 3)]
        lines += [_md([one.name, one.reason, one.advice]) for one in found.refused]
    lines += [text for note in found.notes for text in ("", _escaped(note))]
    return "\n".join(lines)


def _cells(found: ComparisonResult, one: ExperimentVerdict, now: datetime | None) -> dict[str, str]:
    """Return an experiment's cells by the headings of their columns."""
    value, difference = cells(one)
    return {
        "experiment": one.name,
        "changed": one.changed,
        found.primary: value,
        f"vs {found.reference}": difference,
        "verdict": one.verdict,
        "worse in": all_worse(one, found.primary) or "–",
        "author": one.author,
        "age": age(one.when, now),
        "message": shorten(one.message, 200),
    }


def as_frame(found: ComparisonResult) -> pd.DataFrame:
    """Return the comparison's table as texts, a row per experiment, as Markdown has them."""
    rows = [_cells(found, one, None) for one in found.experiments]
    return pd.DataFrame(rows, columns=[*(rows[0] if rows else ["experiment"])]).set_index(
        "experiment"
    )


def as_html(found: ComparisonResult) -> str:
    """Return the comparison for a notebook: the answer, the table, the notes below it."""
    answered = f"<p><strong>{escape(found.answer)}</strong></p>"
    notes = "".join(f"<p>{escape(note)}</p>" for note in found.notes)
    return f"{answered}{as_frame(found).to_html()}{notes}"


def _md(cells: list[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is: names and messages are anybody's."""
    for sign in "\\`*_[]<>|#":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")


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
    return "\n".join(lay_out(lines, WIDTHS))
