"""Commands that begin a project: `crivo start`, `crivo init`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from crivo.commands.options import FORCE, YES
from crivo.commands.printing import say

if TYPE_CHECKING:
    from crivo.project.init import Plan
    from crivo.project.request import Request

Many = list[str] | None


@dataclass(frozen=True)
class TableOptions:
    """What is said of a table beside its target: the options of each command that takes one."""

    task: Annotated[
        str | None, typer.Option(help="binary, multiclass or regression; guessed if left out.")
    ] = None
    positive: Annotated[
        str | None, typer.Option(help="The class of interest of a binary task.")
    ] = None
    id: Annotated[
        Many, typer.Option("--id", help="A column that identifies the row; repeatable.")
    ] = None
    time: Annotated[
        str | None, typer.Option(help="The column with the row's time; the split is by time.")
    ] = None
    group: Annotated[
        str | None, typer.Option(help="The column with the row's group; it stays in one split.")
    ] = None
    weight: Annotated[
        str | None, typer.Option(help="The column that says how much the row counts.")
    ] = None
    outcome: Annotated[
        Many, typer.Option(help="A column that is known only afterwards; repeatable.")
    ] = None
    drop: Annotated[Many, typer.Option(help="A column to leave out; repeatable.")] = None
    sheet: Annotated[
        str | None, typer.Option(help="The sheet of an Excel file that has several.")
    ] = None
    yes: YES = False

    def request(self, target: str) -> Request:
        """Return what the options say of the file."""
        from crivo.core.errors import CrivoError
        from crivo.core.tasks import TASKS
        from crivo.project.request import Request

        options = vars(self)
        if self.task not in (None, *TASKS):
            raise CrivoError(f"--task is {self.task!r}; expected one of {', '.join(TASKS)}.")
        repeated = {name: tuple(options[name] or ()) for name in ("id", "outcome", "drop")}
        return Request(target, **options | repeated)


def _with_table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the fields of its `table` as options."""
    kind, hints = inspect.Parameter.KEYWORD_ONLY, get_type_hints(TableOptions, include_extras=True)
    options = [
        inspect.Parameter(one.name, kind, default=one.default, annotation=hints[one.name])
        for one in fields(TableOptions)
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        table = TableOptions(**{one.name: given.pop(one.name) for one in options})
        command(table=table, **given)

    own = [
        one.replace(kind=kind)
        for one in inspect.signature(command, eval_str=True).parameters.values()
    ]
    place = [one.name for one in own].index("table")
    signature = inspect.Signature([*own[:place], *options, *own[place + 1 :]])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
    return run


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(_with_table_options(start))
    app.command()(_with_table_options(init))


def start(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The new project's folder.")],
    data: Annotated[
        Path | None,
        typer.Option(help="A CSV, Parquet or Excel file, or a folder; without it, the flights."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="The column to predict.")] = None,
    *,
    table: TableOptions,
) -> None:
    """Make a project in a new folder and commit it; then run `make repro` there."""
    from crivo.core.errors import CrivoError
    from crivo.project.start import Table, start

    described = None
    if data is not None:
        if target is None:
            raise CrivoError("--data needs --target, the column to predict.")
        described = Table(data, table.request(target))
    elif target or any(vars(table).values()):
        raise CrivoError("--target and the like describe a file; give it with --data FILE.")
    plan = start(folder, described)
    if plan and data:
        _tell(data, plan)
    say(f"The project is in {folder}, committed. Now run:")
    say(f"  cd {folder}\n  make repro\n  make test")


def init(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV, Parquet or Excel file, or a folder.")
    ],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    *,
    table: TableOptions,
    force: FORCE = False,
) -> None:
    """Use your own table: examine it, write its settings and track it; then run `dvc repro`."""
    from crivo.project.init import init_table
    from crivo.project.place import recorded_before

    plan = init_table(Path(), file, table.request(target), force=force)
    _tell(file, plan)
    say("The file is in data/raw/table, tracked by DVC; its settings are in params.yaml.")
    if plan.removed:
        say(f"The flights were removed: {', '.join(plan.removed)}. Commit this too.")
    if recorded_before(Path()):
        say("Commit data/raw/table.dvc: the pipeline reads only data that git records.")
    say("Now run: dvc repro")


def _tell(file: Path, plan: Plan) -> None:
    say("\n".join([f"{file.name}:", *(f"  {line}" for line in plan.found)]))
    if plan.dangers:
        say("\n".join(["Look at this first:", *(f"  - {line}" for line in plan.dangers)]))
    if plan.changes:
        say("\n".join(["Changed in params.yaml:", *(f"  - {line}" for line in plan.changes)]))
