"""The command line: `crivo <command>`, one function each in `crivo.commands`."""

from __future__ import annotations

from crivo.runtime.messages import log_to_terminal, one_sentence

import inspect
import os
import platform
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from crivo.commands.options import Command, Group
from crivo.commands.pages import board, docs, note, report
from crivo.commands.prediction import evaluate, export, predict
from crivo.commands.printing import say
from crivo.commands.projects import check, fetch, new, start, upgrade
from crivo.commands.prune import prune
from crivo.commands.sharing import resolve, share, trace, verify
from crivo.commands.trial import search, try_
from crivo.commands.verdicts import compare, confirm, incumbent, plan, repeat
from crivo.core.codepath import put_project_first
from crivo.core.threads import with_waiting
from crivo.runtime.lateimports import import_late
from crivo.runtime.start import spare_garbage_collection

KEPT = "finished work is kept, and no file is half-written. Run the command again to continue."


# The groups of commands that `crivo --help` shows, in their order.
GROUPS: dict[str, tuple[Callable[..., Any], ...]] = {
    "Projects and data": (start, fetch, upgrade, new, check, docs),
    "Experiments": (try_, search, repeat, note, prune),
    "Verdicts": (confirm, plan, incumbent, compare, board),
    "Results and models": (report, evaluate, predict, export, trace, verify),
    "Teams": (share, resolve),
}
# What commands were called before; these names run for one release, with a warning.
FORMER = {
    "init": "start . --data",
    "gate": "check --only limits",
    "merge": "resolve",
    "star": "note --star",
    "diff": "compare --rows",
    "incumbent set": "incumbent",
    "incumbent show": "incumbent",
    "incumbent clear": "incumbent --clear",
}


class Commands(Group):
    """The commands, each of which ends with a sentence; typer would tell no interruption."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Take the former name of a command for today's."""
        with one_sentence("crivo", KEPT):  # typer imports pydantic here
            return super().parse_args(ctx, todays(args, warn=not ctx.resilient_parsing))

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command that was given."""
        with one_sentence("crivo", KEPT):
            return super().invoke(ctx)


def todays(arguments: list[str], *, warn: bool) -> list[str]:
    """Return a command line in today's names; warn of a former one, except for completion."""
    for former, now in FORMER.items():
        words = former.split()
        if arguments[: len(words)] == words:
            if warn:
                say(
                    f"warning: `crivo {former}` is now `crivo {now}`; the old name will be removed "
                    "in the next release.",
                    err=True,
                )
            return [*now.split(), *arguments[len(words) :]]
    return arguments


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Machine-learning experiments whose results can be believed.",
)
for group, functions in GROUPS.items():
    for function in functions:
        name = function.__name__.rstrip("_")
        # Typer would keep the line breaks of all paragraphs but the first.
        text = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(function.__doc__ or ""))
        app.command(name, cls=Command, rich_help_panel=group, help=text)(function)


def say_version(wanted: bool) -> None:
    """Print which crivo this is, where its code is, and which Python runs it."""
    if wanted:
        place, python = Path(__file__).parent, platform.python_version()
        typer.echo(f"crivo {version('crivo')} in {place}, Python {python}")
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

    In a project it uses the blocks that are there.
    """
    spare_garbage_collection()
    os.environ.update(with_waiting(os.environ))
    put_project_first()
    import_late()
    with one_sentence("crivo", KEPT):
        log_to_terminal("%(message)s")
        app()


if __name__ == "__main__":
    main()
