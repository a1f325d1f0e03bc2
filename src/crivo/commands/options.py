"""Options that several commands take: each is spelled, and means, the same everywhere."""

from __future__ import annotations

import logging
import os
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

from crivo.core.errors import CrivoError


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
OPEN = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]

WHERE = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="List only experiments with this setting, or author=, since= (2024-05-01, 3d), "
        "search= or verdict=; repeatable.",
    ),
]
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
    """A command with `--quiet` and `--verbose`, whose help names no types of Python."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.params += _loudness()
        for one in self.params:
            if isinstance(one, TyperArgument) or getattr(one, "is_flag", False):
                one.display_type_rich = _no_type  # type: ignore[attr-defined]
            elif isinstance(one, TyperOption):
                choices = "|".join(map(str, one.type_descriptor.choices or ()))
                one.metavar = one.metavar or choices or (one.name or "").upper()

    def invoke(self, ctx: Any) -> Any:
        """Set how loud the command is, and run it."""
        set_loudness(quiet=ctx.params.pop("quiet"), verbose=ctx.params.pop("verbose"))
        return super().invoke(ctx)


def _loudness() -> list[Any]:
    """Return the two options, as typer makes them."""
    app = typer.Typer(add_completion=False)
    app.command()(set_loudness)
    return typer.main.get_command(app).params


def _no_type(ctx: object) -> None:
    """Return no type of an argument or a switch: its name says enough."""


def set_loudness(*, quiet: QUIET = False, verbose: VERBOSE = False) -> None:
    """Say how much is logged, here and in the stages that a command runs."""
    if quiet and verbose:
        raise CrivoError("--quiet and --verbose exclude each other; give one of them.")
    if quiet or verbose:
        os.environ[LEVEL] = "warning" if quiet else "debug"
        logging.getLogger("crivo").setLevel(os.environ[LEVEL].upper())


def wants_progress() -> bool:
    """Whether progress is to be shown."""
    return logging.getLogger("crivo").isEnabledFor(logging.INFO)
