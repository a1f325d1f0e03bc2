"""Commands that begin a project: `crivo start`, `crivo init`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crivo.commands.options import FORCE, YES
from crivo.commands.printing import say

if TYPE_CHECKING:
    from crivo.project.init import Plan
    from crivo.project.request import Request

Many = list[str] | None
Task = Annotated[
    str | None, typer.Option(help="binary, multiclass or regression; guessed if left out.")
]
Positive = Annotated[str | None, typer.Option(help="The class of interest of a binary task.")]
RowId = Annotated[Many, typer.Option("--id", help="A column that identifies the row; repeatable.")]
Time = Annotated[
    str | None, typer.Option(help="The column with the row's time; the split is by time.")
]
Group = Annotated[
    str | None, typer.Option(help="The column with the row's group; it stays in one split.")
]
Weight = Annotated[str | None, typer.Option(help="The column that says how much the row counts.")]
Outcome = Annotated[Many, typer.Option(help="A column that is known only afterwards; repeatable.")]
Drop = Annotated[Many, typer.Option(help="A column to leave out; repeatable.")]
Sheet = Annotated[str | None, typer.Option(help="The sheet of an Excel file with several.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(start)
    app.command()(init)


def start(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The new project's folder.")],
    data: Annotated[
        Path | None,
        typer.Option(help="A CSV, Parquet or Excel file, or a folder; without it, the flights."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="The column to predict.")] = None,
    task: Task = None,
    positive: Positive = None,
    row_id: RowId = None,
    time: Time = None,
    group: Group = None,
    weight: Weight = None,
    outcome: Outcome = None,
    drop: Drop = None,
    sheet: Sheet = None,
    yes: YES = False,
) -> None:
    """Make a project in a new folder and commit it; then run `make repro` there."""
    from crivo.core.errors import CrivoError
    from crivo.project.start import Table, start

    columns = (target, task, positive, row_id, time, group, weight, outcome, drop)
    table = None
    if data is not None:
        if target is None:
            raise CrivoError("--data needs --target, the column to predict.")
        request = _request(
            target=target,
            task=task,
            positive=positive,
            id=row_id,
            time=time,
            group=group,
            weight=weight,
            outcome=outcome,
            drop=drop,
            sheet=sheet,
            yes=yes,
        )
        table = Table(data, request)
    elif any(columns):
        raise CrivoError("--target and the like describe a file; give it with --data FILE.")
    plan = start(folder, table)
    if plan and data:
        _tell(data, plan)
    say(f"The project is in {folder}, committed. Now run:")
    say(f"  cd {folder}\n  make repro\n  make test")


def init(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV, Parquet or Excel file, or a folder.")
    ],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    task: Task = None,
    positive: Positive = None,
    row_id: RowId = None,
    time: Time = None,
    group: Group = None,
    weight: Weight = None,
    outcome: Outcome = None,
    drop: Drop = None,
    sheet: Sheet = None,
    yes: YES = False,
    force: FORCE = False,
) -> None:
    """Use your own table: examine it, write its settings, track it; then run `dvc repro`."""
    from crivo.project.init import init_table
    from crivo.project.place import recorded_before

    request = _request(
        target=target,
        task=task,
        positive=positive,
        id=row_id,
        time=time,
        group=group,
        weight=weight,
        outcome=outcome,
        drop=drop,
        sheet=sheet,
        yes=yes,
    )
    plan = init_table(Path(), file, request, force=force)
    _tell(file, plan)
    say("The file is in data/raw/table, tracked by DVC; its settings are in params.yaml.")
    if plan.removed:
        say(f"The flights are gone: {', '.join(plan.removed)}. Commit that too.")
    if recorded_before(Path()):
        say("Commit data/raw/table.dvc: the pipeline takes no other data than git records.")
    say("Now run: dvc repro")


def _tell(file: Path, plan: Plan) -> None:
    say("\n".join([f"{file.name}:", *(f"  {line}" for line in plan.found)]))
    if plan.dangers:
        say("\n".join(["Look at this first:", *(f"  - {line}" for line in plan.dangers)]))
    if plan.changes:
        say("\n".join(["Changed in params.yaml:", *(f"  - {line}" for line in plan.changes)]))


def _request(**options: Any) -> Request:
    """Return what the options of a command say of its file."""
    from crivo.core.errors import CrivoError
    from crivo.core.tasks import TASKS
    from crivo.project.request import Request

    task = options["task"]
    if task not in (None, *TASKS):
        raise CrivoError(f"--task is {task!r}; expected one of {', '.join(TASKS)}.")
    repeated = {name: tuple(options[name] or ()) for name in ("id", "outcome", "drop")}
    return Request(**options | repeated)
