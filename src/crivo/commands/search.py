"""The command that searches a space of settings: `crivo search`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import AGAINST, AS_JSON, CLUSTER_WORKERS, SCHEDULER, WORKERS_REMOTE
from crivo.commands.printing import say, say_document
from crivo.commands.trial import NAME, TryCommand, told_in_json
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.experiments.search.result import SearchResult


class SamplerName(StrEnum):
    """What proposes trials."""

    TPE = "tpe"
    RANDOM = "random"
    GRID = "grid"


SPACE = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[KEY=VALUES]...",
        help="The settings to vary; by default, those under `search:` in params.yaml. With "
        "--resume, the search's name.",
    ),
]
SAMPLER = Annotated[
    SamplerName | None, typer.Option(help="How trials are proposed; by default, tpe.")
]
SEED = Annotated[
    int | None,
    typer.Option(min=0, help="The seed of the proposals; by default, that of params.yaml."),
]
TRIALS = Annotated[
    int | None,
    typer.Option(
        min=1, help="The total number of trials; by default 20, unless --minutes is given."
    ),
]
MINUTES = Annotated[
    float | None, typer.Option(min=0, help="Start no further trial after this many minutes.")
]
HALVING = Annotated[
    bool, typer.Option("--halving", help="Stop trials early if they are worse than others.")
]
RESUME = Annotated[
    bool, typer.Option("--resume", help="Resume a search; by default, the last one.")
]
APPLY = Annotated[
    bool, typer.Option("--apply", help="Write the best trial's settings to params.yaml.")
]


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("search", cls=TryCommand)(search)


def search(
    space: SPACE = None,
    sampler: SAMPLER = None,
    seed: SEED = None,
    trials: TRIALS = None,
    minutes: MINUTES = None,
    workers: CLUSTER_WORKERS = None,
    scheduler: SCHEDULER = None,
    remote: WORKERS_REMOTE = None,
    halving: HALVING = False,
    name: NAME = None,
    resume: RESUME = False,
    against: AGAINST = None,
    apply: APPLY = False,
    as_json: AS_JSON = False,
) -> None:
    """Try many settings; say whether the best is better, and how much of its gain is luck.

    With --json, the exit status is 0 if the best is better, 1 if it is worse or equivalent,
    2 if it is undecided, and 3 if the search was refused or failed.
    """
    from crivo.experiments.engine.choice import engine_of
    from crivo.experiments.search.search import Options
    from crivo.experiments.search.search import resume as go_on
    from crivo.experiments.search.search import search as begin

    options = Options((sampler or SamplerName.TPE).value, seed, trials, minutes, workers, halving)
    own = {"--seed": seed, "--against": against, "--name": name, "--halving": halving or None,
           "--sampler": sampler}  # fmt: skip
    engine = engine_of(scheduler, remote=remote)

    def run() -> SearchResult:
        if not resume:
            return begin(space or [], options, name=name, against=against, engine_of=engine)
        _require_only_name(space or [], own)
        return go_on(space[0] if space else None, options, engine_of=engine)

    if as_json:
        from crivo.commands.documents.search import SearchDocument

        with told_in_json(SearchDocument, "search"):
            raise typer.Exit(_for_programs(run, apply))
    from crivo.experiments.search.search import apply_best
    from crivo.experiments.search.text import search_text

    result = run()
    say()
    say(search_text(result))
    if apply and result.best is not None:
        say(apply_best(result))


def _require_only_name(space: list[str], own: Mapping[str, object]) -> None:
    """Raise CrivoError when a search that goes on is told what it keeps from its beginning."""
    given = [option for option, value in own.items() if value is not None]
    given += [text for text in space if "=" in text]
    if given or len(space) > 1:
        raise CrivoError(
            f"--resume goes on with what the search began with, so it takes no "
            f"{given[0] if given else 'second name'}; --trials, --minutes and --workers may change."
        )


def _for_programs(run: Callable[[], SearchResult], apply: bool) -> int:
    """Run a search, print its document, and return the exit status."""
    from crivo.commands.documents.making_search import search_document
    from crivo.commands.documents.trials import STATUS
    from crivo.experiments.search.search import apply_best

    # What the stages print isn't a part of the document.
    with redirect_stdout(sys.stderr):
        result = run()
        applied = apply_best(result) if apply and result.best is not None else ""
        document = search_document(result, applied)
    say_document(document)
    return STATUS[document.outcome]
