"""Commands about experiments: `crivo compare`, `diff`, `incumbent`, `confirm`, `repeat`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import (
    AGAINST,
    ALL,
    AS_JSON,
    CLUSTER_WORKERS,
    REVISION,
    SCHEDULER,
    SEARCH,
    VERDICT,
    WORKERS_REMOTE,
    App,
)
from crivo.commands.printing import say, say_document
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.experiments import Comparison, Filters

# Experiments in a table for people, unless they ask for others.
MAX_LISTED = 20

incumbent = App(help="Keep the experiment that a new one must beat.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(compare)
    app.command()(diff)
    app.command()(confirm)
    app.command()(repeat)
    app.add_typer(incumbent, name="incumbent")


class FailOn(StrEnum):
    """What makes `crivo compare` exit with status 1."""

    WORSE = "worse"
    WORSE_IN_ANY = "worse-in-any"
    UNDECIDED = "undecided"
    REFUSED = "refused"


WHERE = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", help="List only experiments with this setting; repeatable."),
]
SORT = Annotated[
    str, typer.Option(help="Sort by metric, difference, age, name, search, or a metric's name.")
]
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


def compare(
    revisions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[REV]...", help="Experiments, branches, tags or commits; by default, all."
        ),
    ] = None,
    against: AGAINST = None,
    parent: Annotated[
        bool, typer.Option("--parent", help="Compare each experiment with its own parent.")
    ] = False,
    best: Annotated[bool, typer.Option("--best", help="Compare with the best experiment.")] = False,
    where: WHERE = None,
    author: Annotated[
        str | None, typer.Option(help="List only experiments by this author.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="List only experiments recorded since then: 2024-05-01, 3d.")
    ] = None,
    search: SEARCH = None,
    verdict: VERDICT = None,
    sort: SORT = "metric",
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="List at most this many; by default 20, or all with --json."),
    ] = None,
    everything: ALL = False,
    details: Annotated[bool, typer.Option("--details", help="Show every metric.")] = False,
    common_rows: COMMON_ROWS = False,
    margin: MARGIN = None,
    planned: PLANNED = None,
    fail_on: FAIL_ON = None,
    as_markdown: Annotated[bool, typer.Option("--md", help="Print Markdown.")] = False,
    as_json: AS_JSON = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page as `crivo board` does.")
    ] = None,
) -> None:
    """Say which experiment is better, and whether the difference is real."""
    from crivo import experiments
    from crivo.commands.board import require_place, write_page
    from crivo.experiments import text
    from crivo.experiments.history import read_history
    from crivo.experiments.margins import parse_margins
    from crivo.experiments.verdicts import require_verdicts

    require_verdicts(verdict or ())
    if limit and everything:
        raise CrivoError("--limit and --all exclude each other; give one of them.")
    if html is not None:
        require_place(html, force=False)
    history = read_history()
    result = experiments.compare(
        revisions or (),
        against=against,
        parent=parent,
        best=best,
        planned=planned,
        common_rows=common_rows,
        margin=parse_margins(margin) if margin else None,
        filters=_filters(where, author, since, search),
        history=history,
    )
    usual = None if as_json or everything or revisions or html else MAX_LISTED
    arranged_result = experiments.arranged(result, sort, limit or usual, verdict or ())
    if html is not None:
        write_page(experiments.arranged(result, sort), history, html)
    if as_json:
        from crivo.commands.documents.experiments import CompareDocument

        values = json.loads(text.as_json(arranged_result))
        say_document(CompareDocument.made_of("compare", values))
    elif as_markdown:
        say(text.as_markdown(arranged_result))
    else:
        say(text.as_text(arranged_result, details=details))
    if any(_fails(result, reason) for reason in fail_on or ()):
        raise typer.Exit(1)


def diff(
    older: Annotated[
        str, typer.Argument(metavar="A", help="An experiment, branch, tag or commit.")
    ],
    newer: Annotated[str, typer.Argument(metavar="B", help="The experiment to compare with A.")],
    as_json: AS_JSON = False,
) -> None:
    """Show which rows B predicts better or worse than A, and what differs between their runs."""
    from crivo.commands.documents.making import diff_document
    from crivo.experiments.prediction_diff import diff_predictions
    from crivo.experiments.prediction_diff_text import prediction_diff_text

    found = diff_predictions(older, newer)
    if as_json:
        say_document(diff_document(found))
    else:
        say(prediction_diff_text(found))


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


def confirm(
    revision: REVISION,
    against: AGAINST = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Evaluate on the test rows even if there is no gain.")
    ] = False,
    as_json: AS_JSON = False,
) -> None:
    """Evaluate a chosen experiment on the test rows, and say whether its gain held."""
    from crivo import experiments
    from crivo.experiments import text

    result = experiments.confirm(revision, against=against, anyway=anyway)
    if as_json:
        from crivo.commands.documents.making import confirm_document

        say_document(confirm_document(result))
        return
    say(result.answer)
    say("")
    say(text.as_text(result.test, details=True))


def repeat(
    revision: REVISION,
    seeds: Annotated[
        int | None, typer.Option(help="The number of seeds, including the experiment's own.")
    ] = None,
    folds: Annotated[int | None, typer.Option(help="The number of folds.")] = None,
    against: AGAINST = None,
    workers: CLUSTER_WORKERS = None,
    scheduler: SCHEDULER = None,
    remote: WORKERS_REMOTE = None,
    as_json: AS_JSON = False,
) -> None:
    """Run an experiment again over seeds or folds, and summarise the runs as one recipe."""
    from crivo import experiments
    from crivo.experiments import text

    result = experiments.repeat(
        revision,
        seeds=seeds,
        folds=folds,
        against=against,
        workers=workers,
        scheduler=scheduler,
        remote=remote,
    )
    if as_json:
        from crivo.commands.documents.experiments import RepeatDocument

        say_document(RepeatDocument.made_of("repeat", json.loads(text.repetition_json(result))))
    else:
        say(text.repetition_text(result))


@incumbent.command("set")
def incumbent_set(revision: REVISION) -> None:
    """Make an experiment the incumbent: new ones are compared with it."""
    from crivo.experiments import set_incumbent

    incumbent = set_incumbent(revision)
    say(
        f"{incumbent.name} is the incumbent now, {incumbent.how_chosen}; commit "
        "metrics/incumbent.json. `dvc repro` gives the next verdict against it."
    )


@incumbent.command("show")
def incumbent_show(as_json: AS_JSON = False) -> None:
    """Show the incumbent and its metrics."""
    from crivo.experiments import current_incumbent

    incumbent = current_incumbent()
    if as_json:
        from crivo.commands.documents.making import incumbent_document

        say_document(incumbent_document(incumbent))
        return
    if incumbent is None:
        say("There is no incumbent; `crivo incumbent set REV` sets one.")
        return
    about = incumbent.about
    say(
        f"{incumbent.name} ({incumbent.revision[:7]}), evaluated on {about.get('n_rows', '?')} "
        f"{about.get('split', '')} rows, {incumbent.how_chosen}"
    )
    say(incumbent.intervals[["value", "low", "high"]].to_string(float_format="%.4g"))


@incumbent.command("clear")
def incumbent_clear() -> None:
    """Remove the incumbent; verdicts are then against the trivial baseline."""
    from crivo.experiments import clear_incumbent

    clear_incumbent()
    say("The incumbent was removed; commit metrics/incumbent.json.")
