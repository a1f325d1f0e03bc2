"""Commands that look for mistakes: `crivo check`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from crivo.commands.options import ALL, AS_JSON
from crivo.commands.printing import say, say_document


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(check)


def check(
    only: Annotated[
        list[str] | None,
        typer.Option(help="Run only this check: a code, a first letter or a group; repeatable."),
    ] = None,
    codes: Annotated[
        list[str] | None,
        typer.Option(
            "--explain", metavar="CODE", help="Explain this check instead of running checks."
        ),
    ] = None,
    everything: ALL = False,
    as_json: AS_JSON = False,
) -> None:
    """Look for mistakes that make results wrong; exit status 1 if there is an error."""
    from crivo import checks

    if codes:
        say(checks.explain(checks.chosen(codes)))
        return
    outcomes = checks.review(Path(), only=only)
    findings = checks.found(outcomes)
    if as_json:
        from crivo.commands.documents.checks import CheckDocument

        found = [asdict(finding) for finding in findings]
        every = [
            {
                "code": one.check.code,
                "title": one.check.title,
                "state": one.state,
                "reason": one.reason,
                "muted": [asdict(each) for each in one.findings if one.state == "muted"],
            }
            for one in outcomes
        ]
        say_document(CheckDocument.made_of("check", {"findings": found, "checks": every}))
    else:
        say(checks.render_outcomes(outcomes, everything=everything))
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)
