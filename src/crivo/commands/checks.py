"""Commands that look for mistakes: `crivo check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crivo.commands.printing import say, say_json


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(check)


def check(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="Run just this check; repeatable.")] = None,
) -> None:
    """Look for what makes results unbelievable; exit status 1 when an error is found."""
    from crivo import checks

    findings = checks.run(Path(), only=only)
    if as_json:
        say_json(checks.to_json(findings))
    else:
        say(checks.render(findings))
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)
