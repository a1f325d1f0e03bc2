"""Commands about one experiment: `crivo confirm`, `repeat`, `plan`, `incumbent`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import (
    AGAINST,
    AS_JSON,
    CLUSTER_WORKERS,
    REVISION,
    SCHEDULER,
    complete_revision,
)
from crivo.commands.printing import say, show
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.comparison.incumbent import ShownIncumbent

FRACTIONS = Annotated[
    list[float] | None,
    typer.Option(
        metavar="PART",
        help="Fit it on this part of the training rows, for a learning curve; repeatable: two or "
        "more, such as 0.25 and 0.5.",
    ),
]


def confirm(
    revision: REVISION,
    against: AGAINST = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Evaluate on the test rows even if there is no gain.")
    ] = False,
    as_json: AS_JSON = False,
) -> None:
    """Evaluate a chosen experiment on the test rows, and say whether its gain held."""
    from crivo.comparison.text import as_text
    from crivo.trials.confirmation import confirm

    found = confirm(revision, against=against, anyway=anyway)
    text = f"{found.answer}\n\n{as_text(found.test, details=True)}"
    show("confirm", found, lambda _: text, as_json=as_json)


def repeat(
    revision: REVISION,
    seeds: Annotated[
        int | None,
        typer.Option(metavar="N", help="The number of seeds, including the experiment's own."),
    ] = None,
    folds: Annotated[int | None, typer.Option(metavar="N", help="The number of folds.")] = None,
    fractions: FRACTIONS = None,
    against: AGAINST = None,
    workers: CLUSTER_WORKERS = None,
    scheduler: SCHEDULER = None,
    as_json: AS_JSON = False,
) -> None:
    """Run an experiment again over seeds, folds or parts of the training rows, and sum it up."""
    from crivo.comparison.text import repetition_text
    from crivo.trials.learning_curve import curve_text, learning_curve
    from crivo.trials.repetition import repeat

    if fractions:
        if seeds or folds or against or scheduler:
            raise CrivoError(
                "--fractions makes a learning curve here; leave --seeds, --folds, --against and "
                "--scheduler out."
            )
        curve = learning_curve(revision, fractions=fractions, workers=workers)
        show("repeat --fractions", curve, curve_text, as_json=as_json)
        return
    found = repeat(
        revision,
        seeds=seeds,
        folds=folds,
        against=against,
        workers=workers,
        scheduler=scheduler,
    )
    show("repeat", found, repetition_text, as_json=as_json)


def plan(
    revision: REVISION,
    against: AGAINST = None,
    as_json: AS_JSON = False,
) -> None:
    """Say how much more data would decide a comparison."""
    from crivo.trials.plan import plan, plan_text

    show("plan", plan(revision, against=against), plan_text, as_json=as_json)


def incumbent(
    revision: Annotated[
        str | None,
        typer.Argument(
            metavar="[REV]",
            help="The experiment that becomes the incumbent; without it, show the incumbent.",
            autocompletion=complete_revision,
        ),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove the incumbent.")] = False,
    as_json: AS_JSON = False,
) -> None:
    """Set or show the experiment that a new one must beat."""
    from crivo.comparison.incumbent import clear_incumbent, set_incumbent, show_incumbent

    if clear and revision:
        raise CrivoError("Give one experiment, or --clear, or neither to see the incumbent.")
    if clear:
        clear_incumbent()
        say("The incumbent was removed; commit metrics/incumbent.json.")
    elif revision:
        chosen = set_incumbent(revision)
        say(
            f"{chosen.name} is the incumbent now, {chosen.how_chosen}; commit "
            "metrics/incumbent.json. `dvc repro` gives the next verdict against it."
        )
    else:
        show("incumbent", show_incumbent(), _incumbent_text, as_json=as_json)


def _incumbent_text(found: ShownIncumbent) -> str:
    from crivo.core.layout import columns

    if found.revision is None:
        return "There is no incumbent; `crivo incumbent REV` sets one."
    about = found.about
    rows: list[tuple[str, ...]] = [("metric", "value", "low", "high")]
    rows += [
        (one.metric, *(f"{value:.4g}" for value in (one.value, one.low, one.high)))
        for one in found.metrics
    ]
    first = (
        f"{found.name} ({found.revision[:7]}), evaluated on {about.get('n_rows', '?')} "
        f"{about.get('split', '')} rows, {found.how_chosen}"
    )
    return "\n".join([first, *columns(rows, right=range(1, 4))])
