"""Puts the report together: the sentence a person wants first, then what stands behind it."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from crivo.core.findings import NOT_APPLICABLE, PASSED
from crivo.evaluation.report import files, sections, where, words
from crivo.evaluation.report.confusion import confusion
from crivo.evaluation.report.contents import Report
from crivo.evaluation.report.figures import draw
from crivo.evaluation.report.table import markdown
from crivo.evaluation.report.terms import TERMS

if TYPE_CHECKING:
    from jinja2 import Template


def to_html(report: Report) -> str:
    """Return the report as one HTML page that needs nothing from outside."""
    here = resources.files("crivo.evaluation.report")
    css, script = ((here / name).read_text("utf-8").strip() for name in ("page.css", "page.js"))
    return str(template().render(**_content(report), css=css, script=script))


@cache
def template() -> Template:
    """Return the page's template, compiled once in a process that makes many reports."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("crivo.evaluation.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2")


def to_markdown(report: Report) -> str:
    """Return the report's first part as Markdown, for a pull request."""
    lines = [f"## {words.title(report.chosen, report.about)}", ""]
    lines += [" ".join(words.headline(report)), ""]
    lines += [f"- {one.question} {one.answer}" for one in words.answers(report)]
    lines += ["", *words.if_chosen(report.about), ""]
    notes = _notes(report)
    lines += [f"> {' '.join(note.split())}" for note in notes] + ([""] if notes else [])
    lines += [*markdown(sections.metrics_table(report)), ""]
    if (limits := sections.limits_table(report)) is not None:
        lines += ["Limits:", "", *markdown(limits), ""]
    if (found := sections.findings_of_checks(report)) is not None:
        lines += ["Findings of the checks:", "", *markdown(found), ""]
    if passed := sections.silent_checks(report, PASSED):
        lines += [f"Passed: {', '.join(code for code, *_ in passed)}.", ""]
    if rest := sections.silent_checks(report, NOT_APPLICABLE):
        reasons = "; ".join(f"{code} ({reason})" for code, _, reason in rest)
        lines += [f"Not applicable: {reasons}.", ""]
    lines += [*(f"- {name}: {value}" for name, value in words.about(report)), ""]
    return "\n".join(lines)


def _content(report: Report) -> dict[str, Any]:
    return {
        "title": words.title(report.chosen, report.about),
        "headline": words.headline(report),
        "answers": words.answers(report),
        "chosen": words.if_chosen(report.about),
        "notes": _notes(report),
        "baseline": report.subject.baseline,
        "rows": report.subject.rows,
        "task": report.task,
        "metrics": sections.metrics_table(report),
        "metrics_conclusion": sections.metrics_conclusion(report),
        "limits": sections.limits_table(report),
        "kinds": sections.findings(report),
        "checks": sections.findings_of_checks(report),
        "silent": [
            ("Passed", sections.silent_checks(report, PASSED)),
            ("Not applicable", sections.silent_checks(report, NOT_APPLICABLE)),
        ],
        "refit": sections.refit_section(report),
        "value": sections.value_section(report),
        "slices": where.slices_section(report),
        "figures": draw(report),
        "calibrated": sections.calibration_conclusion(report),
        "confusion": confusion(report),
        "importance": sections.importance_section(report),
        "worst": sections.errors_section(report),
        "tenths": sections.tenths(report),
        "about": words.about(report),
        "settings": sections.settings(report),
        "files": files.beside(report.files),
        "is_external": words.is_external(report.about),
        "reproduce": words.reproduce(report.about),
        "terms": TERMS,
    }


def _notes(report: Report) -> list[str]:
    """Return what to beware of, in sentences."""
    return [*words.doubts(report.checked), *report.evaluation.warnings]
