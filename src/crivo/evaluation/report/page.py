"""Renders the report: one HTML page that needs nothing from outside, and its short form."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import pandas as pd

from crivo.core.schema import Words
from crivo.core.text_guard import CODE, escape_markdown
from crivo.core.wording import a_few, counted
from crivo.evaluation.report import chart, forest, numbers, tables

if TYPE_CHECKING:
    from jinja2 import Environment

    from crivo.evaluation.evaluate import Result


@dataclass(frozen=True)
class Subject:
    """The subject of the predictions, in the words of the data's owners.

    `positive`: the class of interest; `baseline`: the name of the trivial model, None if there is
    none; `currency`: the currency of the gains.
    """

    target: str
    classes: tuple[Any, ...] = ()
    positive: Any = None
    words: Words = field(default_factory=Words)
    currency: str = ""
    baseline: str | None = None

    def short(self, name: Any) -> str:
        """Return the words for a class: `late`, `late = yes`; its name without a positive class."""
        if self.positive is None:
            return "positive" if name is None else str(name)
        is_positive = str(name) == str(self.positive)
        word = self.words.positive if is_positive else self.words.negative
        what = self.target.removeprefix("is_")
        plain = {"True": what, "False": f"not {what}"}.get(str(name))
        return word or plain or f"{self.target} = {name}"


PACKAGE = "crivo.evaluation.report"


def to_html(report: Result) -> str:
    """Return the report as one HTML page that needs nothing from outside."""
    texts = (resources.files(PACKAGE) / name for name in ("page.css", "page.js"))
    css, script = (text.read_text("utf-8").strip() for text in texts)
    template = _environment().get_template("page.html.j2")
    return template.render(r=report, css=css, script=script)


def to_markdown(report: Result) -> str:
    """Return the report's first part as Markdown, for a pull request."""
    return _environment().get_template("report.md.j2").render(r=report)


def compile_templates() -> None:
    """Compile the report's templates, which takes longer than to fill them."""
    made = _environment()
    for name in made.list_templates(extensions=["j2"]):
        made.get_template(name)


def environment(package: str) -> Environment:
    """Return what renders the templates of a package; a name that isn't known is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "."),
        optimized=False,  # takes longer than it saves on one page
        autoescape=lambda name: not str(name).endswith(".md.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _environment() -> Environment:
    made = environment(PACKAGE)
    for module in (chart, forest, numbers, tables):
        made.globals |= vars(module)
    made.filters |= {name: one for name, one in vars(numbers).items() if callable(one)}
    made.filters |= {
        "line": _line,
        "code": code,
        "markdown": _markdown,
        "a_few": a_few,
        "things": counted,
        "ends": numbers.with_ends,
        "percent": "{:.1f}".format,
    }
    made.tests["nan"] = lambda value: bool(pd.isna(value))
    made.tests["kind"] = lambda code, letter: str(code).startswith(letter)
    return made


def _line(text: Any) -> Any:
    """Return a text on one line; what is safe in a page stays so."""
    return type(text)(re.sub(r"[ \n]+", " ", text).strip())


def _markdown(text: Any) -> str:
    """Return Markdown that shows a text as the page does; a page's sentence loses its tags."""
    return escape_markdown(text.striptags() if hasattr(text, "striptags") else str(text))


def code(text: Any) -> Any:
    """Return a text whose parts in backticks are code in a page."""
    from markupsafe import Markup, escape

    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))
