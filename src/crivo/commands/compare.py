"""The command that compares experiments: `crivo compare`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crivo.commands.options import AGAINST, ALL, AS_JSON, REVISIONS, WHERE
from crivo.commands.printing import say, say_result, show
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.comparison.choice import Filters
    from crivo.comparison.result import ComparisonResult

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
SORT = Annotated[
    str, typer.Option(help="Sort by metric, difference, age, name, search, or a metric's name.")
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


def compare(
    revisions: REVISIONS = None,
    against: AGAINST = None,
    rows: ROWS = False,
    parent: PARENT = False,
    where: WHERE = None,
    sort: SORT = "metric",
    everything: ALL = False,
    details: DETAILS = False,
    common_rows: COMMON_ROWS = False,
    margin: MARGIN = None,
    fail_on: FAIL_ON = None,
    as_markdown: AS_MARKDOWN = False,
    as_json: AS_JSON = False,
) -> None:
    """Say which experiment is better, and whether the difference is real."""
    from crivo.comparison.compare import arranged, compare
    from crivo.comparison.margins import parse_margins
    from crivo.records.history import read_history

    if rows:
        _compare_rows(revisions or [], as_json=as_json)
        return
    options: Any = {"against": against, "parent": parent, "common_rows": common_rows}
    margins, filters = parse_margins(margin) if margin else None, filters_of(where)
    result = compare(
        revisions or (), margin=margins, filters=filters, history=read_history(), **options
    )
    limit = None if as_json or everything or revisions else MAX_LISTED
    listed = arranged(result, sort, limit, filters.verdicts)
    _print(listed, as_json=as_json, as_markdown=as_markdown, details=details)
    if any(_fails(result, reason) for reason in fail_on or ()):
        raise typer.Exit(1)


def _compare_rows(revisions: list[str], *, as_json: bool) -> None:
    from crivo.comparison.prediction_diff import diff_predictions
    from crivo.comparison.prediction_diff_text import prediction_diff_text

    if len(revisions) != 2:
        raise CrivoError(f"--rows compares two experiments, A and B; {len(revisions)} were given.")
    found = diff_predictions(*revisions)
    show("compare --rows", found, prediction_diff_text, as_json=as_json)


def _print(found: ComparisonResult, *, as_json: bool, as_markdown: bool, details: bool) -> None:
    from crivo.comparison import text

    if as_json:
        say_result("compare", found)
    elif as_markdown:
        say(text.as_markdown(found))
    else:
        say(text.as_text(found, details=details))


def filters_of(where: list[str] | None) -> Filters:
    """Return what texts of `--where` select."""
    from crivo.comparison.choice import Filters, moment, require_verdicts
    from crivo.records.searches import made_by

    chosen: dict[str, list[str]] = {}
    for text in where or ():
        key, _, value = text.partition("=")
        if not (key and value):
            raise CrivoError(f"--where is {text!r}; expected key=value.")
        chosen.setdefault(key, []).append(value)
    authors, times, names, verdicts = (
        chosen.pop(key, []) for key in ("author", "since", "search", "verdict")
    )
    require_verdicts(verdicts, "--where verdict")
    return Filters(
        where={key: values[-1] for key, values in chosen.items()},
        author=authors[-1] if authors else None,
        since=moment(times[-1]) if times else None,
        made=made_by(Path(), names) if names else None,
        verdicts=tuple(verdicts),
    )


def _fails(comparison: ComparisonResult, reason: FailOn) -> bool:
    if reason is FailOn.REFUSED:
        return bool(comparison.refused)
    if reason is FailOn.WORSE_IN_ANY:
        return any(one.verdict == "worse" or one.worse for one in comparison.candidates)
    return any(one.verdict == reason.value for one in comparison.candidates)
