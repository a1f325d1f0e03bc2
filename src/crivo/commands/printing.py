"""Printing for every command: escapes text from strangers, so that it can't steer a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TypeVar

import typer

from crivo.core.text_guard import escape_control

T = TypeVar("T")
STYLES = {
    **dict.fromkeys(("better", "holds"), "green"),
    **dict.fromkeys(("undecided", "warning"), "yellow"),
    **dict.fromkeys(("worse", "error", "violated", "Refused"), "red"),
    "experiment": "bold",
}
# A verdict of a sentence, a table's last column, or what a line of findings and limits says first:
# not any word that somebody has put into a name or a message.
VERDICT = re.compile(
    r"(?:(?<=\bis )(?:better|worse|undecided)\b(?=:| than\b)"
    r"|(?<= )(?:better|worse|undecided)$"
    r"|^(?:holds|violated)\b(?= )|(?<=^[A-Z]\d{3} )(?:error|warning)\b"
    r"|^Refused(?=:$)|^experiment(?= ))",
    re.MULTILINE,
)


def say(text: str = "", *, err: bool = False) -> None:
    """Print text for people; on a terminal, verdicts are coloured."""
    shown = escape_control(text)
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        typer.echo(shown, err=err)
        return
    from rich.console import Console
    from rich.text import Text

    printed = Text(shown)
    printed.highlight_regex(VERDICT, STYLES.get)
    Console(file=stream).print(printed, soft_wrap=True)


def show(
    command: str, found: T, text: Callable[[T], str], *, as_json: bool, failed: bool = False
) -> None:
    """Print what a command found, as text or as JSON; if it `failed`, exit with status 1."""
    if as_json:
        say_result(command, found)
    else:
        say(text(found))
    if failed:
        raise typer.Exit(1)


def say_result(command: str, found: object) -> None:
    """Print what a command found as JSON."""
    from crivo.core.results import as_json

    typer.echo(as_json(command, found))


def say_table(csv: str) -> None:
    """Print CSV as it is, unless it goes to a terminal."""
    # Not by `echo`, which takes colours out of what goes to a file.
    sys.stdout.write(escape_control(csv) if sys.stdout.isatty() else csv)
