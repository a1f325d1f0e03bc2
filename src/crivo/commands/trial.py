"""The command that tries a change: `crivo try`, for people and for programs."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any

from crivo.core.ending import sentence

import typer
from typer.core import TyperCommand

from crivo.commands.options import AGAINST, AS_JSON, wants_progress
from crivo.commands.printing import say, say_document

if TYPE_CHECKING:
    from crivo.commands.documents import Document
    from crivo.commands.documents.trials import Outcome
    from crivo.experiments.budget import Budget

# What a program takes for "refused or failed".
FAILED = 3

CHANGES = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[KEY=VALUE]...",
        help="The settings to change; without any, your uncommitted changes are the trial.",
    ),
]
MESSAGE = Annotated[
    str, typer.Option("--message", "-m", help="The hypothesis: why this should help.")
]
NAME = Annotated[
    str | None, typer.Option("--name", "-n", help="Use this name instead of the automatic one.")
]
AGAIN = Annotated[bool, typer.Option("--again", help="Run it even if its result is known.")]
BUDGET = Annotated[
    list[str] | None,
    typer.Option(
        metavar="N|TIME",
        help="Refuse to run if there are already this many trials on these rows (20), or if "
        "they took this long (90min, 3h); repeatable.",
    ),
]


class TryCommand(TyperCommand):
    """With `--json`, options that can't be read are a refusal: 2 would mean undecided."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options."""
        as_json = "--json" in args
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if as_json and getattr(error, "exit_code", 0) == 2:
                error.exit_code = FAILED  # type: ignore[attr-defined]
            raise


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("try", cls=TryCommand)(try_)


def try_(
    changes: CHANGES = None,
    message: MESSAGE = "",
    name: NAME = None,
    against: AGAINST = None,
    again: AGAIN = False,
    budget: BUDGET = None,
    as_json: AS_JSON = False,
) -> None:
    """Run a trial of settings or changed code, and say whether it is better.

    With --json, the exit status is 0 if it is better, 1 if it is worse or equivalent, 2 if it is
    undecided, and 3 if it was refused or failed.
    """
    from crivo import experiments
    from crivo.experiments import text
    from crivo.experiments.budget import parse_budget

    run: dict[str, Any] = {
        "message": message,
        "name": name,
        "again": again,
        "quiet": not wants_progress(),
    }
    if as_json:
        from crivo.commands.documents.trials import TryDocument

        with told_in_json(TryDocument, "try"):
            raise typer.Exit(_for_programs(changes or [], against, budget or [], run))
    experiments.require_reference(against)
    made = experiments.try_settings(changes or [], budget=parse_budget(budget or []), **run)
    say()
    say(text.as_text(experiments.compare([made], against=against)))


def _for_programs(
    changes: list[str], against: str | None, budget: list[str], run: dict[str, Any]
) -> int:
    """Run a trial, print its document, and return the exit status."""
    from crivo import experiments
    from crivo.commands.documents.making_trials import try_document
    from crivo.commands.documents.trials import STATUS
    from crivo.experiments.budget import parse_budget

    limits: Budget = parse_budget(budget)
    # What the stages print isn't a part of the document.
    with redirect_stdout(sys.stderr):
        experiments.require_reference(against)
        made = experiments.try_settings(changes, budget=limits, **run)
        comparison = experiments.compare([made], against=against)
        document = try_document(comparison, made, limits)
    say_document(document)
    return STATUS[document.outcome]


@contextmanager
def told_in_json(kind: type[Document], command: str) -> Iterator[None]:
    """Print what went wrong as a document, and exit with 3; a mistake in the code too."""
    from crivo.experiments.budget import BudgetUsedUp
    from crivo.experiments.trial import TrialFailed

    try:
        yield
    except (typer.Exit, BrokenPipeError):
        raise
    except Exception as error:
        message = sentence(error)
        if message is None:
            traceback.print_exc()
            message = f"{type(error).__name__}: {error}"
        outcome: Outcome = "failed" if isinstance(error, TrialFailed) else "refused"
        stop = isinstance(error, BudgetUsedUp)
        values = {"outcome": outcome, "error": message, "stop": stop}
        say_document(kind.made_of(command, values))
        raise typer.Exit(FAILED) from None
