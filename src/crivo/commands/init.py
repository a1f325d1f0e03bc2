"""Commands that begin a project of one's own: `crivo init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from crivo.commands.printing import say

Many = list[str] | None


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(init)


def init(
    file: Annotated[Path, typer.Argument(help="A CSV or Parquet file, or a folder of them.")],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    task: Annotated[
        str | None, typer.Option(help="binary, multiclass or regression; guessed when left out.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The class of interest of a binary task.")
    ] = None,
    row_id: Annotated[
        Many, typer.Option("--id", help="A column that names the row; repeatable.")
    ] = None,
    time: Annotated[str | None, typer.Option(help="When the row happened: splits by time.")] = None,
    group: Annotated[
        str | None, typer.Option(help="Rows of one group stay on one side of the split.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="How much the row counts.")] = None,
    outcome: Annotated[
        Many, typer.Option(help="A column that is known only afterwards; repeatable.")
    ] = None,
    drop: Annotated[Many, typer.Option(help="A column to leave out; repeatable.")] = None,
    force: Annotated[bool, typer.Option(help="Replace the table that is there.")] = False,
) -> None:
    """Bring your own table: look at it, write its settings, track it; then `dvc repro`."""
    from crivo.onboarding.place import recorded_before
    from crivo.onboarding.start import start

    request = _request(
        target=target,
        task=task,
        positive=positive,
        id=tuple(row_id or ()),
        time=time,
        group=group,
        weight=weight,
        outcome=tuple(outcome or ()),
        drop=tuple(drop or ()),
    )
    plan = start(Path(), file, request, force=force)
    say("\n".join([f"{file.name}:", *(f"  {line}" for line in plan.found)]))
    if plan.dangers:
        say("\n".join(["Look at this first:", *(f"  - {line}" for line in plan.dangers)]))
    say("The file is in data/raw/table, tracked by DVC; its settings are in params.yaml.")
    if recorded_before(Path()):
        say("Commit data/raw/table.dvc: the pipeline takes no other data than git records.")
    say("Now run: dvc repro")


def _request(**options: Any) -> Any:
    from crivo.core.errors import CrivoError
    from crivo.core.tasks import TASKS
    from crivo.onboarding.request import Request

    if options["task"] not in (None, *TASKS):
        raise CrivoError(f"--task is {options['task']!r}; expected one of {', '.join(TASKS)}.")
    return Request(**options)
