"""What every command prints goes through here: text from anybody can't steer a terminal."""

from __future__ import annotations

import sys

import typer

from crivo.core.visible import visible, visible_json


def say(text: str = "", *, err: bool = False) -> None:
    """Print text for people."""
    typer.echo(visible(text), err=err)


def say_json(text: str) -> None:
    """Print JSON; a program that reads it gets every character."""
    typer.echo(visible_json(text))


def say_table(csv: str) -> None:
    """Print CSV as it is, unless it goes to a terminal."""
    # Not by `echo`, which takes colours out of what goes to a file.
    sys.stdout.write(visible(csv) if sys.stdout.isatty() else csv)
