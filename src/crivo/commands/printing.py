"""Printing for every command: escapes text from strangers, so that it can't steer a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import TextIO, TypeVar

import typer

from crivo.core.text_guard import escape_control, escape_control_json

T = TypeVar("T")
GREEN, YELLOW, RED, BOLD, PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[1m", "\x1b[0m"
COLOURS = {
    **dict.fromkeys(("better", "holds"), GREEN),
    **dict.fromkeys(("undecided", "warning"), YELLOW),
    **dict.fromkeys(("worse", "error", "violated", "Refused"), RED),
    "experiment": BOLD,
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
    typer.echo(coloured(shown) if in_colour(sys.stderr if err else sys.stdout) else shown, err=err)


def say_json(text: str) -> None:
    """Print JSON; a program that reads it gets every character."""
    typer.echo(escape_control_json(text))


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

    say_json(as_json(command, found))


def say_table(csv: str) -> None:
    """Print CSV as it is, unless it goes to a terminal."""
    # Not by `echo`, which takes colours out of what goes to a file.
    sys.stdout.write(escape_control(csv) if sys.stdout.isatty() else csv)


def in_colour(stream: TextIO) -> bool:
    """Whether what is printed there may be coloured: a terminal, and NO_COLOR isn't set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def coloured(text: str) -> str:
    """Return text with its verdicts coloured.

    >>> coloured("a is better than b: +0.1").replace(chr(27), "^")
    'a is ^[32mbetter^[0m than b: +0.1'
    """
    return VERDICT.sub(lambda match: f"{COLOURS[match[0]]}{match[0]}{PLAIN}", text)
