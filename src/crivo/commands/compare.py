"""The command that compares experiments: `crivo compare`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crivo.commands.options import (
    AGAINST,
    ALL,
    AS_JSON,
    REVISIONS,
    VERDICT,
)
from crivo.commands.printing import say, say_result, show
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.comparison.choice import Filters
    from crivo.comparison.result import Comparison

# Experiments in a table for people, unless they ask for others.
MAX_LISTED = 20


class FailOn(StrEnum):
    """What makes `crivo compare` exit with status 1."""

    WORSE = "worse"
    WORSE_IN_ANY = "worse-in-any"
    UNDECIDED = "undecided"
    REFUSED = "refused"


ROWS = Annotated[
    bool,
    typer.Option("--rows", help="Compare two experiments, A B, row by row: which B gets right."),
]
PARENT = Annotated[
    bool, typer.Option("--parent", help="Compare each experiment with its own parent.")
]
WHERE = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="List only experiments with this setting, or author=, since= (2024-05-01, 3d) or "
        "search=; repeatable.",
    ),
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
    rows: ROWS = False,
    parent: PARENT = False,
    where: WHERE = None,
    verdict: VERDICT = None,
    sort: SORT = "metric",
    limit: LIMIT = None,
    everything: ALL = False,
    details: DETAILS = False,
    common_rows: COMMON_ROWS = False,
    margin: MARGIN = None,
    fail_on: FAIL_ON = None,
    as_markdown: AS_MARKDOWN = False,
    as_json: AS_JSON = False,
    html: HTML = None,
) -> None:
    """Say which experiment is better, and whether the difference is real."""
    from crivo.commands.board import write_page
    from crivo.comparison.compare import arranged, compare
    from crivo.comparison.margins import parse_margins
    from crivo.records.history import read_history

    if rows:
        _compare_rows(revisions or [], as_json=as_json)
        return
    _require_options(limit, verdict or [], html, everything=everything)
    history = read_history()
    options: Any = {"against": against, "parent": parent, "common_rows": common_rows}
    margins = parse_margins(margin) if margin else None
    filters = _filters(where or [])
    result = compare(revisions or (), margin=margins, filters=filters, history=history, **options)
    if html is not None:
        write_page(arranged(result, sort, limit, verdict or ()), history, html)
    usual = None if as_json or everything or revisions or html else MAX_LISTED
    listed = arranged(result, sort, limit or usual, verdict or ())
    _print(listed, as_json=as_json, as_markdown=as_markdown, details=details)
    if any(_fails(result, reason) for reason in fail_on or ()):
        raise typer.Exit(1)


def _require_options(
    limit: int | None, verdicts: list[str], html: Path | None, *, everything: bool
) -> None:
    from crivo.commands.board import require_place
    from crivo.comparison.choice import require_verdicts

    if limit and everything:
        raise CrivoError("--limit and --all exclude each other; give one of them.")
    require_verdicts(verdicts)
    if html is not None:
        require_place(html, force=False)


def _compare_rows(revisions: list[str], *, as_json: bool) -> None:
    from crivo.comparison.prediction_diff import diff_predictions
    from crivo.comparison.prediction_diff_text import prediction_diff_text

    if len(revisions) != 2:
        raise CrivoError(f"--rows compares two experiments, A and B; {len(revisions)} were given.")
    found = diff_predictions(*revisions)
    show("compare --rows", found, prediction_diff_text, as_json=as_json)


def _print(found: Comparison, *, as_json: bool, as_markdown: bool, details: bool) -> None:
    from crivo.comparison import text

    if as_json:
        say_result("compare", found.document)
    elif as_markdown:
        say(text.as_markdown(found))
    else:
        say(text.as_text(found, details=details))


def _filters(where: list[str]) -> Filters:
    from crivo.comparison.choice import Filters, moment
    from crivo.records.searches import made_by

    pairs = [text.partition("=") for text in where]
    for key, sign, value in pairs:
        if not (key and sign and value):
            raise CrivoError(f"--where is {key + sign + value!r}; expected key=value.")
    settings = {key: value for key, _, value in pairs if key not in ("author", "since", "search")}
    own = {key: value for key, _, value in pairs}
    searches = [value for key, _, value in pairs if key == "search"]
    since = moment(own["since"]) if "since" in own else None
    return Filters(
        settings, own.get("author"), since, made_by(Path(), searches) if searches else None
    )


def _fails(comparison: Comparison, reason: FailOn) -> bool:
    if reason is FailOn.REFUSED:
        return bool(comparison.refused)
    if reason is FailOn.WORSE_IN_ANY:
        return any(one.verdict == "worse" or one.worse for one in comparison.candidates)
    return any(one.verdict == reason.value for one in comparison.candidates)
