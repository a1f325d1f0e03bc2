"""The command that searches a space of settings: `crivo search`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar, cast

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

if TYPE_CHECKING:
    from crivo.commands.results import Outcome, SearchReport
    from crivo.trials.search.result import SearchResult

T = TypeVar("T")


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
    from crivo.trials.search.search import Options, apply_best
    from crivo.trials.search.search import resume as go_on
    from crivo.trials.search.search import search as begin
    from crivo.trials.search.text import search_text

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
            say()
            say(search_text(found))
        applied = apply_best(found) if apply and found.best is not None else ""
        report = _report(found, applied) if as_json else None
    if report is not None:
        say_result("search", report)
        raise typer.Exit(STATUS[report.outcome])
    if applied:
        say(applied)


def _require_only_name(space: list[str], own: Mapping[str, object]) -> None:
    """Raise CrivoError when a search that goes on is told what it keeps from its beginning."""
    given = [option for option, value in own.items() if value is not None]
    given += [text for text in space if "=" in text]
    if given or len(space) > 1:
        raise CrivoError(
            f"--resume goes on with what the search began with, so it takes no "
            f"{given[0] if given else 'second name'}; --trials, --minutes and --workers may change."
        )


def _report(found: SearchResult, applied: str) -> SearchReport:
    from crivo.commands.results import SearchReport
    from crivo.trials.search.text import notes

    search, best = found.search, found.best
    return SearchReport(
        outcome=cast("Outcome", found.verdict or "failed"),
        error=None if found.verdict else _why(found),
        search=search.name,
        finished=found.finished,
        sampler=search.sampler,
        seed=search.seed,
        space=dict(search.space),
        trials=search.trials,
        best=best.experiment if best else None,
        revision=best.revision if best else None,
        gain=found.gain,
        edges=found.edges,
        comparison=found.comparison.document if found.comparison else None,
        applied=applied,
        notes=tuple(notes(found)),
    )


def _why(found: SearchResult) -> str:
    if found.comparison is not None:
        return (
            "; ".join(one.reason for one in found.comparison.refused)
            or "The best can't be compared."
        )
    failed = [one.error for one in found.search.trials if one.state == "failed"]
    return f"No trial has a result. {failed[0] if failed else 'None was run.'}"
