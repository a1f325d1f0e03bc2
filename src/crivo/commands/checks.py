"""Commands that look for mistakes: `crivo check`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import ALL, AS_JSON, PROJECTS
from crivo.commands.printing import say, show, warn_renamed
from crivo.commands.provenance import check_stored
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.checks import Checked
    from crivo.comparison.limits import CheckedLimit


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command(rich_help_panel=PROJECTS)(check)
    app.command(hidden=True)(gate)


def check(
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE",
            help="Run only this check: a code, a first letter or a group; repeatable.",
        ),
    ] = None,
    codes: Annotated[
        list[str] | None,
        typer.Option(
            "--explain", metavar="CODE", help="Explain this check instead of running checks."
        ),
    ] = None,
    everything: ALL = False,
    stored: Annotated[
        bool,
        typer.Option("--stored", help="Look for damaged files here and in the cache instead."),
    ] = False,
    as_json: AS_JSON = False,
) -> None:
    """Look for mistakes and violated limits; exit status 1 if there is an error."""
    from crivo import checks

    if codes:
        say(checks.explain(checks.chosen(codes)))
        return
    if stored:
        check_stored(as_json=as_json)
        return
    found = checks.review(Path(), only=only)
    if not only:
        found = replace(found, limits=tuple(_limits_of_results()))
    text = partial(checks.checked_text, everything=everything)
    show("check", found, text, as_json=as_json, failed=found.failed)


def gate(as_json: AS_JSON = False) -> None:
    """Check the limits in params.yaml; `crivo check` does this too."""
    from crivo import checks

    warn_renamed("gate", "check")
    found = checks.Checked((), (), tuple(_limits()))
    show("check", found, _limits_text, as_json=as_json, failed=found.failed)


def _limits_text(found: Checked) -> str:
    none = "params.yaml sets no limits; write them under `limits:`."
    return "\n".join(map(str, found.limits)) or none


def _limits_of_results() -> list[CheckedLimit]:
    """Return the limits, if there are results; a check names settings that can't be read."""
    from crivo.core.artifacts import EVALUATION
    from crivo.core.params import read_params

    try:
        limited = bool(read_params().limits)
    except CrivoError:
        return []
    there = (EVALUATION / "evaluation.json").is_file()
    return _limits() if limited and there else []


def _limits() -> list[CheckedLimit]:
    from crivo.comparison.limits import check_experiment_limits
    from crivo.comparison.selection import workspace_selection
    from crivo.core.params import read_params
    from crivo.prediction.bundle import milliseconds_per_row

    limits = read_params().limits
    return check_experiment_limits(
        limits,
        latency=milliseconds_per_row,
        selected=workspace_selection() if limits else None,
    )
