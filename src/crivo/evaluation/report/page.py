"""Puts the report together: the sentence a person wants first, then what stands behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

import pandas as pd

from crivo.core.evaluation import Evaluation
from crivo.evaluation.report import figures, words

# Rows of a table on the page; the CSV beside it has them all.
ROWS = 25


@dataclass(frozen=True)
class Report:
    """What a report is made of.

    `about`: what was evaluated, as `evaluation.json` holds it; `settings`: the chosen blocks
    by kind; `plots`: the plots' tables; `tables`: further tables by title; `notes`: sentences;
    `headline`: the numbers of metrics.json; `incumbent`: the verdict against it, empty
    where there is none; `checked`: the findings of the checks, None where none was made.
    """

    evaluation: Evaluation
    about: Mapping[str, Any]
    settings: Mapping[str, str]
    plots: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    headline: Mapping[str, Any] = field(default_factory=dict)
    incumbent: Mapping[str, Any] = field(default_factory=dict)
    checked: pd.DataFrame | None = None


def to_html(report: Report) -> str:
    """Return the report as one HTML page that needs nothing from outside."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("crivo.evaluation.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(
        **_content(report), figures=figures.draw(report.plots)
    )


def to_markdown(report: Report) -> str:
    """Return the report's first part as Markdown, for a pull request."""
    content = _content(report)
    lines = [f"## {content['title']}", "", content["headline"], "", *content["beside"], ""]
    lines += [f"> {' '.join(note.split())}" for note in content["notes"]]
    lines += [""] if content["notes"] else []
    lines += [*_markdown_table(content["metrics"]), ""]
    if (checks := content["checks"]) is not None and checks["rows"]:
        lines += ["Findings of the checks:", "", *_markdown_table(checks), ""]
    lines += [*(f"- {name}: {value}" for name, value in content["about"]), ""]
    return "\n".join(lines)


def _markdown_table(table: Mapping[str, Any]) -> list[str]:
    rows = [table["head"], ["---"] * len(table["head"]), *table["rows"]]
    return ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]


def _content(report: Report) -> dict[str, Any]:
    checked = report.checked
    return {
        "title": words.title(report.settings, report.about),
        "headline": words.headline(report.evaluation, report.about),
        "beside": [
            *words.beside(report.evaluation, report.headline, report.incumbent),
            *words.if_chosen(report.about),
        ],
        "notes": [*words.doubts(checked), *report.notes, *report.evaluation.warnings],
        "metrics": _metrics_table(report.evaluation),
        "tables": [(title, _table(table)) for title, table in report.tables.items() if len(table)],
        "checks": None if checked is None else _table(checked, most=len(checked)),
        "is_external": words.is_external(report.about),
        "about": words.about(report.settings, report.about),
        "reproduce": words.reproduce(report.about),
    }


def _metrics_table(evaluation: Evaluation) -> dict[str, Any]:
    rows = []
    against = evaluation.against_baseline.to_dict("index")
    baseline = evaluation.baseline["value"].to_dict()
    # A metric without an interval has no verdict, and a file's predictions may have no baseline.
    nothing = {"difference": nan, "low": nan, "high": nan, "verdict": ""}
    for name, row in evaluation.metrics.to_dict("index").items():
        versus = against.get(name, nothing)
        rows.append(
            [
                str(name),
                words.number(row["value"]),
                words.interval(row),
                words.number(baseline.get(name, nan)),
                words.signed(versus["difference"]),
                words.interval(versus),
                str(versus["verdict"]),
            ]
        )
    head = ["metric", "value", "95 % interval", "baseline", "difference", "its interval", "verdict"]
    return {"head": head, "rows": rows, "more": 0}


def _table(table: pd.DataFrame, most: int = ROWS) -> dict[str, Any]:
    excerpt = words.with_intervals(table.head(most))
    rows = [[words.cell(value) for value in row] for row in excerpt.itertuples(index=False)]
    return {
        "head": [str(name).replace("_", " ") for name in excerpt.columns],
        "rows": rows,
        "more": len(table) - len(excerpt),
    }


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")
