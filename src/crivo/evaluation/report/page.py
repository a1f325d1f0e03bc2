"""Renders the report: one HTML page that needs nothing from outside, and its short form."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import pandas as pd

from crivo.evaluation.inspection import leading
from crivo.evaluation.report import figures, numbers, sections
from crivo.evaluation.report.contents import Report
from crivo.evaluation.report.table import markdown

if TYPE_CHECKING:
    from jinja2 import Environment, Template

PACKAGE = "crivo.evaluation.report"


def to_html(report: Report) -> str:
    """Return the report as one HTML page that needs nothing from outside."""
    css, script = (
        (resources.files(PACKAGE) / name).read_text("utf-8").strip()
        for name in ("page.css", "page.js")
    )
    return str(template().render(r=report, css=css, script=script))


def to_markdown(report: Report) -> str:
    """Return the report's first part as Markdown, for a pull request."""
    return _environment(html=False).get_template("report.md.j2").render(r=report)


def template() -> Template:
    """Return the page's template, compiled once in a process that makes many reports."""
    return _environment(html=True).get_template("page.html.j2")


@cache
def _environment(html: bool) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(PACKAGE, "."),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = (
        "confusion findings_table importance_forest metrics_table refit_table slice_forests "
        "tenths value_table values worst_rows"
    )
    environment.globals |= {name: getattr(sections, name) for name in names.split()}
    environment.globals |= {"draw": figures.draw, "leading": leading}
    environment.globals |= {"digits_of": numbers.digits_of, "out_of": numbers.out_of}
    environment.filters |= {"line": _line, "markdown": markdown, "counted": numbers.counted}
    environment.filters["number"] = numbers.number
    environment.filters["with_interval"] = numbers.with_interval
    environment.tests["nan"] = lambda value: bool(pd.isna(value))
    return environment


def _line(text: Any) -> Any:
    """Return a text on one line; what is safe in a page stays so."""
    return type(text)(re.sub(r"[ \n]+", " ", text).strip())
