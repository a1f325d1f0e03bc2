"""Commands that run trials, for people and for programs: `crivo try`, `search`."""

from __future__ import annotations

from crivo.runtime.messages import sentence

import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from math import nan
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crivo.commands.completion import complete_setting
from crivo.commands.options import AGAINST, AS_JSON, CLUSTER_WORKERS, SCHEDULER, wants_progress
from crivo.commands.printing import say, say_result
from crivo.core.errors import CrivoError, NotRun

if TYPE_CHECKING:
    from crivo.trials.results import Outcome

# What a program takes for "refused or failed".
FAILED = 3

CHANGES = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="KEY=VALUE",
        help="The settings to change; without any, your uncommitted changes are the trial.",
        autocompletion=complete_setting,
    ),
]
MESSAGE = Annotated[
    str, typer.Option("--message", "-m", help="The hypothesis: why the change should help.")
]
NAME = Annotated[
    str | None, typer.Option("--name", "-n", help="Use this name instead of the automatic one.")
]
AGAIN = Annotated[bool, typer.Option("--again", help="Run the trial even if its result is known.")]
BUDGET = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Refuse to run if there are already this many trials on these rows.",
    ),
]


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

    With --json, the exit status is 0 if the trial is better, 1 if it is worse, equivalent or
    identical, 2 if it is undecided, and 3 if it was refused or failed.
    """
    from crivo.trials.trial import try_settings

    quiet, given = not wants_progress(), changes or []
    with for_programs("try", as_json):
        made = try_settings(
            given, budget=budget, message=message, name=name, again=again, against=against,
            quiet=quiet,
        )  # fmt: skip
        from crivo.comparison import text
        from crivo.comparison.compare import compare
        from crivo.records.history import read_history
        from crivo.trials.results import STATUS, try_result

        history = read_history()
        compared = compare([made], against=against, history=history)
        took = history.ledger.seconds.get(history.find(made).origin.revision, nan)
        found = try_result(made, compared, took)
    if not as_json:
        say()
        say(text.as_text(compared))
        return
    say_result("try", found)
    raise typer.Exit(STATUS[found.outcome])


@contextmanager
def for_programs(command: str, wanted: bool) -> Iterator[None]:
    """Print what goes wrong as a document, and exit with 3; a mistake in the code too.

    What the stages print isn't a part of the document.
    """
    try:
        with redirect_stdout(sys.stderr) if wanted else nullcontext():
            yield
    except (typer.Exit, BrokenPipeError):
        raise
    except Exception as error:
        if not wanted:
            raise
        from crivo.trials.results import SearchResult, TryResult
        from crivo.trials.trial import BudgetUsedUp
        from crivo.trials.worker import TrialFailed

        message = sentence(error)
        if message is None:
            traceback.print_exc()
            message = f"{type(error).__name__}: {error}"
        outcome: Outcome = "failed" if isinstance(error, TrialFailed | NotRun) else "refused"
        made = TryResult if command == "try" else SearchResult
        say_result(command, made(outcome, message, isinstance(error, BudgetUsedUp)))
        raise typer.Exit(FAILED) from None


SPACE = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="KEY=VALUES",
        help="The settings to vary; by default, those under `search:` in params.yaml. With "
        "--resume, the search's name.",
        autocompletion=complete_setting,
    ),
]
SAMPLER = Annotated[
    Literal["tpe", "random", "grid"] | None,
    typer.Option(help="How trials are proposed; by default, tpe."),
]
SEED = Annotated[
    int | None,
    typer.Option(
        min=0, metavar="N", help="The seed of the proposals; by default, the seed in params.yaml."
    ),
]
COUNT = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="The total number of trials; by default 20 or, for a grid, the number of its "
        "points. With only --minutes, there is no limit.",
    ),
]
MINUTES = Annotated[
    float | None,
    typer.Option(min=0, metavar="N", help="Start no new trial after this many minutes."),
]
RESUME = Annotated[
    bool, typer.Option("--resume", help="Resume a search; by default, the last one.")
]


def search(
    space: SPACE = None,
    sampler: SAMPLER = None,
    seed: SEED = None,
    trials: COUNT = None,
    minutes: MINUTES = None,
    workers: CLUSTER_WORKERS = None,
    scheduler: SCHEDULER = None,
    name: NAME = None,
    resume: RESUME = False,
    against: AGAINST = None,
    as_json: AS_JSON = False,
) -> None:
    """Try many settings; say whether the best one is better, and how much of its gain is luck.

    With --json, the exit status is 0 if the best trial is better, 1 if it is worse, equivalent or
    identical, 2 if it is undecided, and 3 if the search was refused or failed.
    """
    from crivo.trials.engine import engine_of
    from crivo.trials.results import STATUS, search_text
    from crivo.trials.search.search import Options
    from crivo.trials.search.search import resume as go_on
    from crivo.trials.search.search import search as begin

    options = Options(sampler or "tpe", seed, trials, minutes, workers)
    kept = {"--seed": seed, "--against": against, "--name": name, "--sampler": sampler}
    engine, given = engine_of(scheduler), space or []
    with for_programs("search", as_json):
        if resume:
            _require_only_name(given, kept)
            found = go_on(given[0] if given else None, options, engine_of=engine)
        else:
            found = begin(given, options, name=name, against=against, engine_of=engine)
        if not as_json:
            say(f"\n{search_text(found)}")
    if as_json:
        say_result("search", found)
        raise typer.Exit(STATUS[found.outcome])


def _require_only_name(space: list[str], own: Mapping[str, object]) -> None:
    """Raise CrivoError when a search that goes on is told what it keeps from its beginning."""
    given = [option for option, value in own.items() if value is not None]
    given += [text for text in space if "=" in text]
    if given or len(space) > 1:
        raise CrivoError(
            "--resume continues a search as it began, so it takes no "
            f"{given[0] if given else 'second name'}; --trials, --minutes and --workers may change."
        )
