"""Options that several commands take: each is spelled, and means, the same everywhere."""

from __future__ import annotations

import logging
import os
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from crivo.commands.completion import complete_revision, complete_setting
from crivo.core.errors import CrivoError


def rev(help: str, metavar: str = "REV") -> Any:
    """Return an argument that names experiments or commits, which a shell completes."""
    return typer.Argument(metavar=metavar, help=help, autocompletion=complete_revision)


def column(help: str, *names: str) -> Any:
    """Return an option that names a column of the table."""
    return typer.Option(*names, metavar="COLUMN", help=help)


AS_JSON = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
AGAINST = Annotated[
    str | None,
    typer.Option(
        metavar="REV",
        help="Compare with this experiment or commit instead of the incumbent or HEAD.",
        autocompletion=complete_revision,
    ),
]
REVISION = Annotated[str, rev("An experiment, branch, tag or commit.")]
REVISIONS = Annotated[
    list[str] | None, rev("Experiments, branches, tags or commits; by default, all.")
]
TASK = Annotated[
    str | None,
    typer.Option(metavar="TASK", help="binary, multiclass or regression; guessed if left out."),
]
POSITIVE = Annotated[
    str | None, typer.Option(metavar="CLASS", help="The class of interest of a binary task.")
]
CLUSTER_WORKERS = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="The number of runs at once; by default, the number of cores. With SLURM, the "
        "default is 8 for crivo search, and all runs for crivo repeat.",
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
        help="Select experiments by the value of a setting, or by author=, since= or before= (such "
        "as 3d or 2024-05-01), search= or verdict=; repeatable. An experiment must match every "
        "key; of several searches or verdicts, one match is enough.",
        autocompletion=complete_setting,
    ),
]
ALL = Annotated[bool, typer.Option("--all", help="List everything.")]
REMOVE = Annotated[bool, typer.Option("--remove", help="Hide the notes or the star instead.")]
YES = Annotated[bool, typer.Option("--yes", help="Continue without asking.")]

QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result and warnings.")]
VERBOSE = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print more details, and tracebacks of errors.")
]
LEVEL = "CRIVO_LOG"


class Readable:
    """A command whose help names values, such as FILE or COLUMN, instead of types of Python."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the arguments and options, each with how its value is called."""
        params = super().get_params(ctx)  # type: ignore[misc]
        for one in params:
            if isinstance(one, TyperArgument) or one.is_flag:
                one.display_type_rich = lambda ctx: None  # the name says enough
            elif one.metavar is None:
                choices = "|".join(map(str, one.type_descriptor.choices or ()))
                one.metavar = choices or one.name.upper()
        return list(params)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line: FOLDER is required, [REV]... isn't."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]  # type: ignore[misc]


class Group(Readable, TyperGroup):
    """A group of commands."""


class Command(Readable, TyperCommand):
    """A command with `--quiet` and `--verbose`."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        app = typer.Typer(add_completion=False)
        app.command()(set_loudness)
        self.params += typer.main.get_command(app).params

    def invoke(self, ctx: Any) -> Any:
        """Set how loud the command is, and run it."""
        set_loudness(quiet=ctx.params.pop("quiet"), verbose=ctx.params.pop("verbose"))
        return super().invoke(ctx)


def set_loudness(*, quiet: QUIET = False, verbose: VERBOSE = False) -> None:
    """Say how much is logged, here and in the stages that a command runs."""
    if quiet and verbose:
        raise CrivoError("--quiet and --verbose can't be combined; give only one of them.")
    if quiet or verbose:
        os.environ[LEVEL] = "warning" if quiet else "debug"
        logging.getLogger("crivo").setLevel(os.environ[LEVEL].upper())


def wants_progress() -> bool:
    """Whether progress is to be shown."""
    return logging.getLogger("crivo").isEnabledFor(logging.INFO)
