"""The command that renews a project: `crivo upgrade`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crivo.commands.printing import say


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(upgrade)


def upgrade(
    wheel: Annotated[
        Path | None,
        typer.Argument(
            metavar="[WHEEL]", help="The new wheel's file; without it, the crivo that runs."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
) -> None:
    """Put a newer crivo into your project, and merge the files that came with it."""
    from crivo.project.upgrade.run import upgrade

    conflicts = upgrade(Path(), wheel, say, dry_run=dry_run)
    if dry_run:
        say("Nothing was changed.")
        return
    say("Look at it with `git diff`, commit it, then run: make repro")
    say("To undo it before you commit: git checkout . && git clean -fd")
    if conflicts:
        say(
            "Both you and crivo changed these files. Your files stayed; take what you need from "
            "the new files, delete those, and commit:\n"
            + "\n".join(f"  {path}.new" for path in conflicts),
            err=True,
        )
        raise typer.Exit(1)
