"""The command line: `crivo <command>`, one function each in `crivo.commands`."""

from __future__ import annotations

import importlib
import logging
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

from crivo.runtime.exit_status import one_sentence

import typer
from typer.core import TyperGroup

from crivo.commands import (
    board,
    checks,
    compare,
    evaluation,
    experiments,
    init,
    new,
    prediction,
    provenance,
    prune,
    search,
    sharing,
    trial,
)
from crivo.commands.options import App
from crivo.core.codepath import forget_library, has_other_library, put_project_first
from crivo.runtime.lateimports import import_late
from crivo.runtime.logs import log_level, log_to_terminal
from crivo.runtime.start import spare_garbage_collection

KEPT = "what was finished is kept and no file is half-written: run it again to go on."


class Commands(TyperGroup):
    """The commands, each of which ends with a sentence; typer would tell no interruption."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command that was given."""
        with one_sentence("crivo", KEPT):
            return super().invoke(ctx)


app = App(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Machine-learning experiments whose results can be believed.",
)
# In the order in which `--help` shows their groups.
for commands in (
    init,
    new,
    checks,
    trial,
    search,
    experiments,
    compare,
    board,
    prune,
    evaluation,
    prediction,
    provenance,
    sharing,
):
    commands.register(app)


def say_version(wanted: bool) -> None:
    """Print which crivo this is, where its code is, and which Python runs it."""
    if not wanted:
        return
    try:
        number = version("crivo")
    except PackageNotFoundError:
        number = "that isn't installed"
    typer.echo(f"crivo {number} in {Path(__file__).parent}, Python {platform.python_version()}")
    raise typer.Exit


@app.callback()
def crivo(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=say_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Machine-learning experiments whose results can be believed."""


def main() -> None:
    """Run a command; an error that a user can fix is one sentence and exit status 1.

    In a project it runs the code that stands there: its blocks, and its `src/crivo` if it has one.
    """
    spare_garbage_collection()
    src = put_project_first()
    if src is not None and has_other_library(src):
        forget_library()
        importlib.import_module("crivo.cli").main()
        return
    import_late()
    with one_sentence("crivo", KEPT):
        log_to_terminal("%(message)s")
        logging.getLogger("crivo").setLevel(log_level())
        app()


if __name__ == "__main__":
    main()
