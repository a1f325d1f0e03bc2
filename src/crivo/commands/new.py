"""Commands that start new blocks: `crivo new`."""

from __future__ import annotations

from typing import Annotated

import typer

from crivo.commands.options import PROJECTS
from crivo.commands.printing import say


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command(rich_help_panel=PROJECTS)(new)


def new(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="dataset, splitter, featurizer, model, evaluator, metric or check."
        ),
    ],
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the block and of its file.")
    ],
) -> None:
    """Write a new block that works, with its settings and a test; comments mark what to change."""
    from crivo.project.new import new_block

    made = new_block(kind, name)
    for path in made.written:
        say(f"wrote {path}")
    say(f"\nIt works as it is. Fill in what is marked FILL IN in {made.written[0]}, then:")
    for command in made.next_steps:
        say(f"  {command}")
