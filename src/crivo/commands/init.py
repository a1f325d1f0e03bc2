"""Commands that begin a project of one's own: `crivo init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

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
    from crivo.project.init import init_table
    from crivo.project.place import recorded_before

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
    plan = init_table(Path(), file, request, force=force)
    typer.echo("\n".join([f"{file.name}:", *(f"  {line}" for line in plan.found)]))
    if plan.dangers:
        typer.echo("\n".join(["Look at this first:", *(f"  - {line}" for line in plan.dangers)]))
    typer.echo("The file is in data/raw/table, tracked by DVC; its settings are in params.yaml.")
    if recorded_before(Path()):
        typer.echo("Commit data/raw/table.dvc: the pipeline takes no other data than git records.")
    typer.echo("Now run: dvc repro")


def _request(**options: Any) -> Any:
    from typing import get_args

    from crivo.core.errors import CrivoError
    from crivo.core.schema import Task
    from crivo.project.request import Request

    if options["task"] not in (None, *get_args(Task)):
        raise CrivoError(
            f"--task is {options['task']!r}; expected one of {', '.join(get_args(Task))}."
        )
    return Request(**options)
