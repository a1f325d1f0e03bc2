"""Commands about experiments: `crivo diff`, `incumbent`, `confirm`, `repeat`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from crivo.commands.options import (
    AGAINST,
    AS_JSON,
    CLUSTER_WORKERS,
    REVISION,
    SCHEDULER,
    WORKERS_REMOTE,
    App,
)
from crivo.commands.printing import say, say_document

incumbent = App(help="Keep the experiment that a new one must beat.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(diff)
    app.command()(confirm)
    app.command()(repeat)
    app.add_typer(incumbent, name="incumbent")


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
