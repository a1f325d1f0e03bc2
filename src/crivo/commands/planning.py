"""The command that says how much more data would help: `crivo plan`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from crivo.commands.options import AGAINST, AS_JSON, REVISION, WORKERS
from crivo.commands.printing import say, say_document


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(plan)


def plan(
    revision: REVISION,
    against: AGAINST = None,
    curve: Annotated[
        bool,
        typer.Option(
            "--learning-curve", help="Fit the experiment again on parts of the training rows."
        ),
    ] = False,
    fractions: Annotated[
        list[float] | None,
        typer.Option(
            help="A part of the training rows for the learning curve (0.125, 0.25 and 0.5 if left "
            "out); repeatable."
        ),
    ] = None,
    workers: WORKERS = None,
    as_json: AS_JSON = False,
) -> None:
    """Say how much more data would decide a comparison, and whether more training rows help."""
    from crivo.experiments.learning_curve import FRACTIONS, learning_curve
    from crivo.experiments.plan import plan as plan_of
    from crivo.experiments.plan_text import as_text

    found = plan_of(revision, against=against)
    if curve or fractions:
        margin = found.compared.margin
        made = learning_curve(
            revision, fractions=fractions or FRACTIONS, margin=margin, workers=workers
        )
        found = replace(found, curve=made)
    if as_json:
        from crivo.commands.documents.planning import plan_document

        say_document(plan_document(found))
    else:
        say(as_text(found))
