"""A comparison as text: first the answer, then a table that fits 80 columns; or Markdown, JSON."""

from __future__ import annotations

import json
from datetime import datetime
from math import isfinite
from textwrap import shorten, wrap
from typing import Any

import pandas as pd

from crivo.core.artifacts import rounded
from crivo.experiments.claims import all_worse, other_metrics, plan, verdict_words
from crivo.experiments.comparison import Comparison
from crivo.experiments.numbers import age, bracket, decimals, number
from crivo.experiments.repeated import Repetition

WIDTH = 80
NAME, VALUE, DIFFERENCE = 26, 14, 27

# Other predictions may have the same metric, such as scores in the same order.
NOTHING = "the metric doesn't differ at all, as when a setting changes nothing"

_SENTENCES = {
    "better": "{} is better than {}",
    "worse": "{} is worse than {}",
    "equivalent": "{} is equivalent to {}",
    "identical": "{} is identical to {}",
    "undecided": "{} vs {} is undecided",
}


def answer(comparison: Comparison) -> str:
    """Return the comparison's first line: the verdict about the best candidate.

    `slower vs main is undecided: roc_auc +0.0024 [-0.0012, +0.0061], needs ≥ 0.0052; no metric is
    worse; corrected as trial 3 of 14`
    """
    best = comparison.headline
    if best is None:
        return _nothing(comparison)
    sentence = _SENTENCES[best["verdict"]].format(best.name, comparison.reference)
    if best["verdict"] == "identical":
        return f"{sentence}: {NOTHING}"
    digits = _digits(best)
    difference = number(best["difference"], digits, sign=True)
    limits = bracket(best["difference_low"], best["difference_high"], digits, sign=True)
    detectable = ""
    if best["verdict"] == "undecided" and isfinite(best["minimum_detectable"]):
        detectable = f", needs ≥ {number(best['minimum_detectable'], digits)}"
    told = f"{comparison.primary} {difference} {limits}{detectable}; {other_metrics(best)}"
    return f"{sentence}: {told}; {comparison.standing(best)}"


def _nothing(comparison: Comparison) -> str:
    """Say that nothing was compared, and why."""
    if comparison.refused.empty:
        if comparison.table.empty or comparison.narrowed:
            return "no experiment matches the filters"
        return (
            f"there is nothing yet to compare with {comparison.reference}; "
            "`crivo try key=value` makes an experiment"
        )
    count = len(comparison.refused)
    if count == 1:
        return f"refused: {comparison.refused.index[0]}: {comparison.refused['reason'].iloc[0]}"
    return f"refused: none of {count} experiments can be compared with {comparison.reference}"


def _digits(row: pd.Series) -> int:
    """Return the digits that a row's uncertainty allows."""
    width = row["difference_high"] - row["difference_low"]
    return decimals(width / 4 if width else row["high"] - row["low"])


def as_text(comparison: Comparison, *, details: bool = False, now: datetime | None = None) -> str:
    """Return the comparison for a terminal of 80 columns."""
    lines = [answer(comparison)]
    if not comparison.table.empty:
        reference = _cut(f"vs {comparison.reference}", DIFFERENCE)
        lines += ["", _line("experiment", f"{comparison.primary} ±", reference, "verdict")]
        for name, row in comparison.table.iterrows():
            lines += _experiment(str(name), row, now)
            if details:
                lines += _details(comparison.metrics.loc[[name]], row["model_bytes"])
                lines += _wrapped(comparison.standing(row).budget, "    ")
                lines += _weak_slices(comparison.slices, str(name))
                lines += [
                    line for note in row["notes"] for line in _wrapped(f"note: {note}", "    ")
                ]
        lines += unlisted(comparison)
    if not comparison.refused.empty:
        lines += ["", "Refused:"]
        for advice, group in comparison.refused.groupby("advice", sort=False):
            for name, reason in group["reason"].items():
                lines += _wrapped(f"{name}: {reason}.")
            lines += _wrapped(f"→ {advice}.", "    ")
    if comparison.notes:
        lines.append("")
        lines += [line for note in comparison.notes for line in _wrapped(note, "")]
    return "\n".join(lines)


def unlisted(comparison: Comparison) -> list[str]:
    """Say how many experiments a limit left out, in a line; none if it left out none."""
    count = comparison.unlisted
    words = f"{count:,} more not listed: --all lists all; --where and similar options select some"
    return [words] if count else []


def _line(name: str, value: str, difference: str, verdict: str) -> str:
    cells = (_cut(name), NAME), (value, VALUE), (difference, DIFFERENCE), (verdict, 0)
    return " ".join(text.ljust(width) for text, width in cells).rstrip()


def _named_line(name: str, value: str, difference: str, verdict: str = "") -> list[str]:
    """Return a line; below a line of its own if the name is long, as two may begin alike."""
    first = [name] if len(name) > NAME else []
    return [*first, _line("" if first else name, value, difference, verdict)]


def _cut(text: str, width: int = NAME) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _experiment(name: str, row: pd.Series, now: datetime | None) -> list[str]:
    """Return an experiment's lines: its numbers, then what it is."""
    value, difference = cells(row)
    also = "also " if row["verdict"] == "worse" else ""
    about = (
        "★" if row["starred"] else "",
        row["changed"],
        f"{also}worse in {row['worse']}" if row["worse"] else "",
        f"not worse in {row['not_worse']}" if row["not_worse"] else "",
        NOTHING if row["verdict"] == "identical" else "",
        f"{row['author']}, {age(row['when'], now)}" if row["author"] else "",
        f"“{row['message']}”" if row["message"] else "",
    )
    lines = _named_line(name, value, difference, row["verdict"])
    return [*lines, *_wrapped("; ".join(filter(None, about)))]


def cells(row: pd.Series) -> tuple[str, str]:
    """Return a metric with half its interval, and the difference with its interval, as texts."""
    half = (row["high"] - row["low"]) / 2
    digits = decimals(half / 2)
    value = f"{number(row['value'], digits)} ±{number(half, digits)}"
    if row["verdict"] in ("reference", "identical"):
        return value, "–" if row["verdict"] == "reference" else "0"
    digits = _digits(row)
    limits = bracket(row["difference_low"], row["difference_high"], digits, sign=True)
    return value, f"{number(row['difference'], digits, sign=True)} {limits}"


def _details(metrics: pd.DataFrame, model_bytes: float | None) -> list[str]:
    """Return a line for each metric, and the model's size."""
    lines = []
    if model_bytes and isfinite(model_bytes):
        lines.append(f"    model file: {model_bytes / 1e6:,.2f} MB")
    for metric, row in metrics.droplevel("name").iterrows():
        lines += _named_line(f"    {metric}", *cells(row), verdict_words(row))
    return [*lines, *_wrapped(plan(metrics.iloc[0]), "    ")]


def _weak_slices(slices: pd.DataFrame, name: str) -> list[str]:
    """Return a line for each slice that is worse than the rest of the experiment's rows."""
    lines = []
    if name in slices.index:
        own = slices.loc[name]
        for title, row in own[own["verdict"] == "worse"].iterrows():
            digits = decimals((row["high"] - row["low"]) / 4)
            half = number((row["high"] - row["low"]) / 2, digits)
            value = f"{number(row['value'], digits)} ±{half}"
            lines += _named_line(f"    {title}", value, "worse than the other rows")
    return lines


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def as_markdown(comparison: Comparison, now: datetime | None = None) -> str:
    """Return the comparison as Markdown, for a pull request or a job's summary."""
    lines = [f"**{_escaped(answer(comparison))}**"]
    if not comparison.table.empty:
        rows = [_markdown(comparison, row, now) for _, row in comparison.table.iterrows()]
        heads = [*rows[0]]
        lines += ["", _md(heads), _md(["---"] * len(heads))]
        lines += [_md([*row.values()]) for row in rows]
        lines += [text for line in unlisted(comparison) for text in ("", line)]
    if not comparison.refused.empty:
        lines += ["", _md(["refused", "why", "what to do"]), _md(["---"] * 3)]
        lines += [_md([str(name), *row]) for name, row in comparison.refused.iterrows()]
    lines += [text for note in comparison.notes for text in ("", _escaped(note))]
    return "\n".join(lines)


def _markdown(comparison: Comparison, row: pd.Series, now: datetime | None) -> dict[str, str]:
    """Return an experiment's cells by the headings of their columns."""
    value, difference = cells(row)
    return {
        "experiment": str(row.name),
        "changed": row["changed"],
        comparison.primary: value,
        f"vs {comparison.reference}": difference,
        "verdict": row["verdict"],
        "worse in": all_worse(row, comparison.primary) or "–",
        "author": row["author"],
        "age": age(row["when"], now),
        "message": shorten(row["message"], 200),
    }


def _md(cells: list[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is: names and messages are anybody's."""
    for sign in "\\`*_[]<>|#":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")


def as_json(comparison: Comparison) -> str:
    """Return the comparison as JSON: the answer, every metric, refusals and looks."""
    metrics: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(comparison.metrics.reset_index()):
        metrics.setdefault(row.pop("name"), []).append(row)
    experiments = [
        {**row, "metrics": metrics[row["name"]]} for row in _rows(comparison.table.reset_index())
    ]
    values = {
        "answer": answer(comparison),
        "reference": comparison.reference,
        "primary": comparison.primary,
        "split": comparison.split,
        "trials": comparison.trials,
        "planned_trials": comparison.planned,
        "experiments": experiments,
        "refused": _rows(comparison.refused.reset_index()),
        "test_looks": _rows(comparison.looks),
        "after_selection": _rows(comparison.after_selection.reset_index()),
        "notes": list(comparison.notes),
    }
    return json.dumps(rounded(values), indent=2, allow_nan=False, ensure_ascii=False)


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    columns = {str(name): map(_plain, column.astype(object)) for name, column in table.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def repetition_text(repetition: Repetition) -> str:
    """Return a repetition for a terminal: the recipe in one line, then each run."""
    lines = [*_wrapped(repetition.answer, ""), ""]
    lines.append(_line(repetition.of, f"{repetition.primary} ±", "experiment", ""))
    for title, row in repetition.runs.iterrows():
        half = (row["high"] - row["low"]) / 2
        digits = decimals(half / 2)
        value = f"{number(row['value'], digits)} ±{number(half, digits)}"
        lines.append(_line(str(title), value, str(row["name"]), ""))
    if not repetition.against.empty:
        lines += [
            "",
            _line("metric", "", _cut(f"vs {repetition.reference}", DIFFERENCE), "verdict"),
        ]
        for metric, row in repetition.against.iterrows():
            digits = decimals((row["difference_high"] - row["difference_low"]) / 4)
            limits = bracket(row["difference_low"], row["difference_high"], digits, sign=True)
            difference = f"{number(row['difference'], digits, sign=True)} {limits}"
            lines.append(_line(str(metric), "", difference, row["verdict"]))
    if repetition.note:
        lines += ["", *_wrapped(repetition.note, "")]
    return "\n".join(lines)


def repetition_json(repetition: Repetition) -> str:
    """Return a repetition as JSON: the recipe as one row, its runs, the verdict."""
    values = {
        "answer": repetition.answer,
        "of": repetition.of,
        "primary": repetition.primary,
        "summary": _rows(repetition.summary.reset_index())[0],
        "runs": _rows(repetition.runs.reset_index()),
        "against": _rows(repetition.against.rename_axis("metric").reset_index()),
        "reference": repetition.reference,
        "rule": repetition.standing._asdict() if repetition.standing else None,
        "note": repetition.note,
    }
    return json.dumps(rounded(values), indent=2, allow_nan=False, ensure_ascii=False)
