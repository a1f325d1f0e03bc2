"""The command that compares experiments: `crivo compare`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import AGAINST, ALL, AS_JSON, SEARCH, VERDICT
from crivo.commands.printing import say, say_document
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.experiments import Comparison, Filters

# Experiments in a table for people, unless they ask for others.
MAX_LISTED = 20


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(compare)


class FailOn(StrEnum):
    """What makes `crivo compare` exit with status 1."""

    WORSE = "worse"
    WORSE_IN_ANY = "worse-in-any"
    UNDECIDED = "undecided"
    REFUSED = "refused"


REVISIONS = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[REV]...", help="Experiments, branches, tags or commits; by default, all."
    ),
]
PARENT = Annotated[
    bool, typer.Option("--parent", help="Compare each experiment with its own parent.")
]
BEST = Annotated[bool, typer.Option("--best", help="Compare with the best experiment.")]
WHERE = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", help="List only experiments with this setting; repeatable."),
]
AUTHOR = Annotated[str | None, typer.Option(help="List only experiments by this author.")]
SINCE = Annotated[
    str | None, typer.Option(help="List only experiments recorded since then: 2024-05-01, 3d.")
]
SORT = Annotated[
    str, typer.Option(help="Sort by metric, difference, age, name, search, or a metric's name.")
]
LIMIT = Annotated[
    int | None,
    typer.Option(min=1, help="List at most this many; by default 20, or all with --json."),
]
DETAILS = Annotated[bool, typer.Option("--details", help="Show every metric.")]
COMMON_ROWS = Annotated[
    bool, typer.Option("--common-rows", help="Compare on the rows that both experiments have.")
]
MARGIN = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[METRIC=]NUMBER", help="The largest difference that doesn't matter; repeatable."
    ),
]
PLANNED = Annotated[
    str | None,
    typer.Option(
        metavar="REASON", help="Correct only for the experiments named here; give the reason."
    ),
]
FAIL_ON = Annotated[
    list[FailOn] | None, typer.Option(help="Exit with status 1 if this occurs; repeatable.")
]
AS_MARKDOWN = Annotated[bool, typer.Option("--md", help="Print Markdown.")]
HTML = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write a page as `crivo board` does.")
]


def compare(
    revisions: REVISIONS = None,
    against: AGAINST = None,
    parent: PARENT = False,
    best: BEST = False,
    where: WHERE = None,
    author: AUTHOR = None,
    since: SINCE = None,
    search: SEARCH = None,
    verdict: VERDICT = None,
    sort: SORT = "metric",
    limit: LIMIT = None,
    everything: ALL = False,
    details: DETAILS = False,
    common_rows: COMMON_ROWS = False,
    margin: MARGIN = None,
    planned: PLANNED = None,
    fail_on: FAIL_ON = None,
    as_markdown: AS_MARKDOWN = False,
    as_json: AS_JSON = False,
    html: HTML = None,
) -> None:
    """Say which experiment is better, and whether the difference is real."""
    from crivo import experiments
    from crivo.commands.board import require_place, write_page
    from crivo.experiments.history import read_history
    from crivo.experiments.margins import parse_margins
    from crivo.experiments.verdicts import require_verdicts

    if limit and everything:
        raise CrivoError("--limit and --all exclude each other; give one of them.")
    require_verdicts(verdict or ())
    if html is not None:
        require_place(html, force=False)
    history = read_history()
    result = experiments.compare(
        revisions or (), against=against, parent=parent, best=best, planned=planned,
        common_rows=common_rows, margin=parse_margins(margin) if margin else None,
        filters=_filters(where, author, since, search), history=history,
    )  # fmt: skip
    if html is not None:
        page = experiments.arranged(result, sort, limit, verdict or ())
        write_page(page, history, html)
    usual = None if as_json or everything or revisions or html else MAX_LISTED
    listed = experiments.arranged(result, sort, limit or usual, verdict or ())
    _print(listed, as_json=as_json, as_markdown=as_markdown, details=details)
    if any(_fails(result, reason) for reason in fail_on or ()):
        raise typer.Exit(1)


def _print(result: Comparison, *, as_json: bool, as_markdown: bool, details: bool) -> None:
    from crivo.experiments import text

    if as_json:
        from crivo.commands.documents.experiments import CompareDocument

        say_document(CompareDocument.made_of("compare", json.loads(text.as_json(result))))
    elif as_markdown:
        say(text.as_markdown(result))
    else:
        say(text.as_text(result, details=details))


def _filters(
    where: list[str] | None, author: str | None, since: str | None, search: list[str] | None
) -> Filters:
    from crivo.experiments.choice import Filters, moment
    from crivo.experiments.searches import made_by

    pairs = [text.partition("=") for text in where or ()]
    for key, sign, value in pairs:
        if not (key and sign and value):
            raise CrivoError(f"--where is {key + sign + value!r}; expected key=value.")
    settings = {key: value for key, _, value in pairs}
    made = made_by(Path(), search) if search else None
    return Filters(settings, author, moment(since) if since else None, made)


def _fails(comparison: Comparison, reason: FailOn) -> bool:
    table = comparison.candidates
    if reason is FailOn.REFUSED:
        return not comparison.refused.empty
    if reason is FailOn.WORSE_IN_ANY:
        return bool(((table["verdict"] == "worse") | (table["worse"] != "")).any())
    return bool((table["verdict"] == reason.value).any())
