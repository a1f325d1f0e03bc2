"""Options that several commands take: each is spelled, and means, the same everywhere."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

from crivo.core.errors import CrivoError

# The groups of commands that `crivo --help` shows.
PROJECTS = "Projects and data"
TRIALS = "Experiments"
VERDICTS = "Verdicts"
RESULTS = "Results and models"
TEAMS = "Teams"


def complete_revision(incomplete: str) -> list[str]:
    """Return the experiments and branches whose names start so; none outside of a project."""
    from crivo.repository.commits import known_names
    from crivo.repository.git import open_repository

    try:
        names = known_names(open_repository())
    except CrivoError:
        return []
    return [name for name in names if name.startswith(incomplete)]


AS_JSON = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
AGAINST = Annotated[
    str | None,
    typer.Option(
        metavar="REV",
        help="Compare with this instead of the incumbent.",
        autocompletion=complete_revision,
    ),
]
REVISION = Annotated[
    str,
    typer.Argument(
        metavar="REV",
        help="An experiment, branch, tag or commit.",
        autocompletion=complete_revision,
    ),
]
REVISIONS = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[REV]...",
        help="Experiments, branches, tags or commits; by default, all.",
        autocompletion=complete_revision,
    ),
]
CLUSTER_WORKERS = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="The number of runs at once; by default, the number of cores. With SLURM, the "
        "default is 8 trials of a search, or all runs of a repetition.",
    ),
]
SCHEDULER = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on a cluster: tcp://host:8786 (Dask) or slurm:partition=cpu,timeout_min=60.",
    ),
]
FORCE = Annotated[bool, typer.Option("--force", help="Replace existing files.")]

SEARCH = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Select only experiments from this search; repeatable."),
]
VERDICT = Annotated[
    list[str] | None,
    typer.Option(metavar="WORD", help="Select only experiments with this verdict; repeatable."),
]
ALL = Annotated[bool, typer.Option("--all", help="List everything.")]
REMOVE = Annotated[bool, typer.Option("--remove", help="Remove it instead of adding it.")]
YES = Annotated[bool, typer.Option("--yes", help="Continue without asking.")]

QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result and warnings.")]
VERBOSE = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print more details, and tracebacks of errors.")
]
LEVEL = "CRIVO_LOG"


class Command(TyperCommand):
    """A command whose help names what an option takes, and no types of Python."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for one in self.params:
            if isinstance(one, TyperArgument) or getattr(one, "is_flag", False):
                one.display_type_rich = _no_type  # type: ignore[attr-defined]
            elif isinstance(one, TyperOption):
                choices = "|".join(map(str, one.type_descriptor.choices or ()))
                one.metavar = one.metavar or choices or (one.name or "").upper()


def _no_type(ctx: object) -> None:
    """Return no type of an argument or a switch: its name says enough."""


class App(typer.Typer):
    """A command line whose commands all take `--quiet` and `--verbose`."""

    def command(self, *names: Any, cls: Any = Command, **settings: Any) -> Callable[[Any], Any]:
        """Return a decorator that makes a command of a function."""
        register = super().command(*names, cls=cls, **settings)
        return lambda function: register(_with_loudness(function))


def _with_loudness(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with two more options, which are seen to before it runs."""

    @wraps(function)
    def run(*arguments: Any, quiet: bool, verbose: bool, **options: Any) -> Any:
        set_loudness(quiet=quiet, verbose=verbose)
        return function(*arguments, **options)

    signature = inspect.signature(function, eval_str=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    added = {"quiet": QUIET, "verbose": VERBOSE}
    parameters = [
        inspect.Parameter(name, kind, default=False, annotation=annotation)
        for name, annotation in added.items()
    ]
    known = [one.replace(kind=kind) for one in signature.parameters.values()]
    run.__signature__ = signature.replace(parameters=known + parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {**function.__annotations__, **added}
    return run


def set_loudness(*, quiet: bool, verbose: bool) -> None:
    """Say how much is logged, here and in the stages that a command runs."""
    if quiet and verbose:
        raise CrivoError("--quiet and --verbose exclude each other; give one of them.")
    if quiet or verbose:
        os.environ[LEVEL] = "warning" if quiet else "debug"
        logging.getLogger("crivo").setLevel(os.environ[LEVEL].upper())


def wants_progress() -> bool:
    """Whether progress is to be shown."""
    return logging.getLogger("crivo").isEnabledFor(logging.INFO)
