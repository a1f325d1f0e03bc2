"""The commands in the test's own process, made of their functions once: that takes a while."""

from typing import Any

from click.testing import CliRunner, Result
from typer.main import get_command

from crivo.cli import app

COMMANDS = get_command(app)


def invoke(*words: str, **more: Any) -> Result:
    """Run `crivo` with these words; return its exit status and what it prints."""
    return CliRunner().invoke(COMMANDS, words, **more)
