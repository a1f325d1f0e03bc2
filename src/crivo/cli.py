"""The command line: `crivo <command>`, one function each in `crivo.commands`."""

from __future__ import annotations

import logging
import sys

import typer

from crivo.commands import (
    blocks,
    checks,
    data,
    evaluation,
    experiments,
    init,
    prediction,
    provenance,
    sharing,
)
from crivo.commands.interrupted import left_behind
from crivo.core.errors import CrivoError
from crivo.core.stage import log_level

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Machine-learning experiments whose results can be believed.",
)
for commands in (
    init,
    data,
    blocks,
    checks,
    evaluation,
    experiments,
    prediction,
    sharing,
    provenance,
):
    commands.register(app)


@app.callback()
def warn() -> None:
    """Say on stderr what a stopped DVC or git has left here."""
    found = left_behind()
    if found:
        typer.echo(f"warning: {found}", err=True)


def main() -> None:
    """Run a command; an error that a user can mend is one sentence and exit status 1."""
    try:
        logging.basicConfig(level="WARNING", format="%(message)s")
        logging.getLogger("crivo").setLevel(log_level())
        app()
    except CrivoError as error:
        sys.exit(f"crivo: {error}")
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)


if __name__ == "__main__":
    main()
