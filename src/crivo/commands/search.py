"""The command that searches a space of settings: `crivo search`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from crivo.commands.options import (
    AGAINST,
    AS_JSON,
    CLUSTER_WORKERS,
    SCHEDULER,
)
from crivo.commands.printing import say, say_result
from crivo.commands.trial import NAME, for_programs
from crivo.core.errors import CrivoError


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
COUNT = Annotated[
    int | None,
    typer.Option(
        min=1, help="The total number of trials; by default 20, unless --minutes is given."
    ),
]
MINUTES = Annotated[
    float | None, typer.Option(min=0, help="Start no further trial after this many minutes.")
]
RESUME = Annotated[
    bool, typer.Option("--resume", help="Resume a search; by default, the last one.")
]
APPLY = Annotated[
    bool, typer.Option("--apply", help="Write the best trial's settings to params.yaml.")
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
    apply: APPLY = False,
    as_json: AS_JSON = False,
) -> None:
    """Try many settings; say whether the best is better, and how much of its gain is luck.

    With --json, the exit status is 0 if the best is better, 1 if it is worse or equivalent,
    2 if it is undecided, and 3 if the search was refused or failed.
    """
    from crivo.commands.results import STATUS
    from crivo.trials.engine import engine_of
    from crivo.trials.search.result import search_text
    from crivo.trials.search.search import Options, apply_best
    from crivo.trials.search.search import resume as go_on
    from crivo.trials.search.search import search as begin

    options = Options((sampler or SamplerName.TPE).value, seed, trials, minutes, workers)
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
        if apply and found.best is not None:
            found = replace(found, applied=apply_best(found))
    if as_json:
        say_result("search", found)
        raise typer.Exit(STATUS[found.outcome])
    if found.applied:
        say(found.applied)


def _require_only_name(space: list[str], own: Mapping[str, object]) -> None:
    """Raise CrivoError when a search that goes on is told what it keeps from its beginning."""
    given = [option for option, value in own.items() if value is not None]
    given += [text for text in space if "=" in text]
    if given or len(space) > 1:
        raise CrivoError(
            f"--resume goes on with what the search began with, so it takes no "
            f"{given[0] if given else 'second name'}; --trials, --minutes and --workers may change."
        )
