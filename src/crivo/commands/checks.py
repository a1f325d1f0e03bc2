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
    only: Annotated[
        list[str] | None,
        typer.Option(help="Run only this check: a code, a first letter or a group; repeatable."),
    ] = None,
    codes: Annotated[
        list[str] | None,
        typer.Option("--explain", metavar="CODE", help="Run no check; explain this one."),
    ] = None,
) -> None:
    """Look for mistakes that make results wrong; exit status 1 if there is an error."""
    from crivo import checks

    if codes:
        say(checks.explain(checks.chosen(codes)))
        return
    findings = checks.run(Path(), only=only)
    if as_json:
        say_json(checks.to_json(findings))
    else:
        say(checks.render(findings))
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)
