"""Commands that give verdicts: `crivo compare`, `confirm`, `repeat`, `plan`, `incumbent`."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import (
    AGAINST,
    ALL,
    AS_JSON,
    CLUSTER_WORKERS,
    REVISION,
    SCHEDULER,
    WHERE,
    rev,
)
from crivo.commands.printing import say, show
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.comparison.incumbent import ShownIncumbent
    from crivo.comparison.result import ComparisonResult

# Experiments in a table for people, unless they ask for others.
MAX_LISTED = 20


COMPARED = Annotated[
    list[str] | None,
    rev(
        "Experiments, branches, tags or commits; by default, all are compared, and the best "
        f"{MAX_LISTED} are listed."
    ),
]
# What makes `crivo compare` exit with status 1.
FailOn = StrEnum("FailOn", ["worse", "worse-in-any", "undecided", "refused"])
ROWS = Annotated[
    bool,
    typer.Option("--rows", help="Compare two experiments row by row."),
]
DETAILS = Annotated[bool, typer.Option("--details", help="Show every metric.")]
FAIL_ON = Annotated[
    list[FailOn] | None,
    typer.Option(
        metavar="CASE",
        help="Exit with status 1 if an experiment is worse, worse-in-any, undecided or refused; "
        "repeatable.",
    ),
]
AS_MARKDOWN = Annotated[bool, typer.Option("--md", help="Print Markdown.")]


def compare(
    revisions: COMPARED = None,
    against: AGAINST = None,
    rows: ROWS = False,
    where: WHERE = None,
    everything: ALL = False,
    details: DETAILS = False,
    fail_on: FAIL_ON = None,
    as_markdown: AS_MARKDOWN = False,
    as_json: AS_JSON = False,
) -> None:
    """Say which experiment is better, and whether the difference is real."""
    from crivo.comparison.choice import Filters
    from crivo.comparison.compare import compare, shortened
    from crivo.comparison.text import as_markdown as markdown
    from crivo.comparison.text import as_text

    if rows:
        from crivo.comparison.prediction_diff import diff_predictions, prediction_diff_text

        if len(names := revisions or ()) != 2:
            raise CrivoError(
                f"--rows compares two experiments, A and B; expected two names, not {len(names)}."
            )
        found = diff_predictions(*names)
        show("compare --rows", found, prediction_diff_text, as_json=as_json)
        return
    filters = Filters(where or ())
    result = compare(revisions or (), against=against, filters=filters)
    limit = None if as_json or everything or revisions else MAX_LISTED
    listed = shortened(result, limit, filters.verdicts)
    text = markdown if as_markdown else partial(as_text, details=details)
    failed = any(_fails(result, reason) for reason in fail_on or ())
    show("compare", listed, text, as_json=as_json, failed=failed)


def _fails(comparison: ComparisonResult, reason: FailOn) -> bool:
    if reason == "refused":
        return bool(comparison.refused)
    if reason == "worse-in-any":
        return any(one.verdict == "worse" or one.worse for one in comparison.candidates)
    return any(one.verdict == reason for one in comparison.candidates)


FRACTIONS = Annotated[
    list[float] | None,
    typer.Option(
        metavar="FRACTION",
        help="Fit the model on this fraction of the training rows, for a learning curve; give "
        "the option at least twice, as in --fractions 0.25 --fractions 0.5.",
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
    text = "\n".join([found.answer, "", as_text(found.test, details=True), *found.notes])
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
    """Repeat an experiment with several seeds, folds or parts of the training rows."""
    from crivo.trials.learning_curve import curve_text, learning_curve
    from crivo.trials.repetition import repeat, repetition_text

    if fractions:
        if seeds or folds or against or scheduler:
            raise CrivoError(
                "--fractions makes a learning curve; leave out --seeds, --folds, --against and "
                "--scheduler."
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


def plan(revision: REVISION, against: AGAINST = None, as_json: AS_JSON = False) -> None:
    """Say how much more data would decide a comparison."""
    from crivo.trials.plan import plan, plan_text

    show("plan", plan(revision, against=against), plan_text, as_json=as_json)


def incumbent(
    revision: Annotated[
        str | None, rev("The experiment to beat from now on; without it, the incumbent is shown.")
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
    if found.revision is None:
        return "There is no incumbent; `crivo incumbent REV` sets one."
    return f"{found.name} ({found.revision[:7]}), {found.how_chosen}"
