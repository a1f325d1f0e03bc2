"""The command line: `crivo <command>`, one function each in `crivo.commands`."""

from __future__ import annotations

import importlib
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
from crivo.core.codepath import forget_library, has_other_library, put_project_first
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


def main() -> None:
    """Run a command; an error that a user can mend is one sentence and exit status 1.

    In a project it runs the code that stands there: its blocks, and its `src/crivo` if it has one.
    """
    src = put_project_first()
    if src is not None and has_other_library(src):
        forget_library()
        importlib.import_module("crivo.cli").main()
        return
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
