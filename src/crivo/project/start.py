"""`crivo start`: makes a team's project with its table, and chooses the settings that suit it."""

from __future__ import annotations

import logging
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from crivo.core.artifacts import SPLITS, write_text
from crivo.core.codepath import put_project_first
from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.core.params import PrepareSettings, read_settings
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.core.wording import a_few, counted
from crivo.preparation.quarantine import count_reasons, quarantine
from crivo.preparation.tables import columns
from crivo.preparation.tables.dataset import TableDataset
from crivo.preparation.tables.files import table_files
from crivo.project.choices import RESET, Choice, Request, changes, merged
from crivo.project.clusters import choose_clusters
from crivo.project.contents import new_files, write_files
from crivo.project.data_summary import dangers, describe
from crivo.project.fetch import require_recorded
from crivo.project.flights import params_without_flights, remove_flights
from crivo.project.model_choice import model_choice, text_choice
from crivo.project.params_file import edited_params, setting_at
from crivo.project.split_choice import choose_split
from crivo.project.wheel import running_wheel
from crivo.repository import running
from crivo.repository.git import Repository

log = logging.getLogger(__name__)

TABLE = Path("data/raw/table")
# More rows than this share are set aside only with --yes.
MAX_LIMIT = 0.2
# Rows of a class with fewer are set aside.
RARE = 10


@dataclass(frozen=True)
class Plan:
    """What was found in a table, what looks dangerous in it, and the settings that suit it."""

    found: list[str]
    dangers: list[str]
    settings: dict[str, Any]
    # The flights' files that went.
    removed: tuple[str, ...] = ()
    # What changes in params.yaml, a line for each reason.
    changes: tuple[str, ...] = ()


def start(folder: Path, data: Path | None, request: Request) -> Plan | None:
    """Make a project in a new folder, with a table or else with the flights, and commit it.

    `data`: a file or folder of files, of which `request` says what its columns are.
    Returns what was found in the table. CrivoError, and nothing is made: the folder isn't empty,
    the table can't be used, or git can't commit.
    """
    target = Path(os.path.abspath(folder))  # noqa: PTH100 # a link stays what it is
    if target == Path.cwd():
        raise CrivoError("Give the name of a new folder: crivo start doesn't replace this one.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise CrivoError(f"{folder} already exists and isn't empty; give the name of a new folder.")
    Repository(Path()).require_identity()
    wheel = running_wheel()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = TemporaryDirectory(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise CrivoError(f"{target} can't be made: {error.strerror}.") from None
    with beside as part:
        project = Path(part, target.name)
        write_files(project, new_files(target.name, wheel))
        git(project, "init", "--quiet", "--initial-branch", "main")
        plan = None
        if data:
            put_project_first(project)  # its blocks read the table
            plan = init_table(project, data.resolve(), request)
        git(project, "add", "--all")
        said = f"Start a project with crivo {wheel.version}"
        Repository(project).git("commit", "--quiet", "--message", said)
        if target.is_dir():
            target.rmdir()
        project.rename(target)
    return plan


def init_table(project: Path, source: Path, request: Request, *, force: bool = False) -> Plan:
    """Bring a file into the project, write its settings and track it; return what was found.

    The flights go. Nothing has changed when a CrivoError says why the file can't be used.
    """
    params = project / "params.yaml"
    _require_place(project, source, force)
    (project / TABLE.parent).mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".table.", suffix=".part", dir=project / TABLE.parent) as part:
        table = Path(part, TABLE.name)
        _copy_table(source, table)
        plan = make_plan(table, request, read_settings(params))
        text = params_without_flights(edited_params(params, plan.settings))
        # DVC's cache holds what was there and is recorded.
        shutil.rmtree(project / TABLE, ignore_errors=True)
        table.rename(project / TABLE)
    track(project)
    write_text(params, text)
    return replace(plan, removed=tuple(remove_flights(project)))


def track(project: Path) -> None:
    """Add the table to DVC, and its `.dvc` file to what git will commit."""
    running.track(project, TABLE.as_posix(), also=[TABLE.with_name(".gitignore").as_posix()])


def _require_place(project: Path, source: Path, force: bool) -> None:
    """Raise CrivoError when another table is there already.

    One that only the disk has is never replaced but by itself.
    """
    record = TABLE.with_name("table.dvc")
    taken = [path for path in (TABLE, record) if (project / path).exists()]
    if taken and not force:
        raise CrivoError(
            f"{taken[0]} already exists; --force replaces it (older versions "
            "stay in git and DVC's cache)."
        )
    if source.resolve() != (project / TABLE).resolve():
        require_recorded(project / TABLE, project / record, f"dvc checkout --force {record}")


def _copy_table(source: Path, table: Path) -> None:
    """Copy a file, or a folder's tables; raw data are never changed."""
    if not source.exists():
        raise CrivoError(f"There is no file {source}.")
    folder = source if source.is_dir() else source.parent
    for path in table_files(source) if source.is_dir() else [source]:
        target = table / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o444)


def make_plan(folder: Path, request: Request, params: Mapping[str, Any]) -> Plan:
    """Look at the table in a folder and find settings with which the pipeline runs.

    CrivoError: it can't be read, its target can't be predicted, or no split would do.
    """
    known = setting_at(params, "datasets.table") or {}
    if params.get("dataset") != "table" or not request.is_met_by(known):
        return _plan(folder, request.table(known), request, params)
    table = make_block("dataset", "table", known)
    rows = table.load(folder)
    told = "nothing: these are new data for the same target"
    return Plan(describe(rows, table.schema(rows)), [], {}, changes=(told,))


def _plan(
    folder: Path, settings: dict[str, Any], request: Request, params: Mapping[str, Any]
) -> Plan:
    """Plan for a table that nobody has described yet."""
    rows, settings = _read(folder, settings)
    table = make_block("dataset", "table", settings)
    schema = table.schema(rows)
    allowed = setting_at(params, "prepare.quarantine_limit")
    allowed = PrepareSettings().quarantine_limit if allowed is None else allowed
    _require_ids(rows, schema, request, allowed)
    good, unusable = quarantine(rows, schema, table.unusable(rows), limit=1.0)
    limits = list(_limit(unusable, rows, request, allowed))
    split = choose_split(request, good, schema)
    left = [*_left(split.quarantined, good, request)]  # before the models, which take long
    clusters = choose_clusters(split.rows, split.splits, schema)
    text = text_choice(good, schema)
    roles = {f"datasets.table.{name}": value for name, value in settings.items()}
    dealt = {f"splitters.{request.splitter}.{name}": it for name, it in split.settings.items()}
    choices = [
        Choice(RESET, ""),
        Choice({"dataset": "table", "featurizer": "tabular"}, "a table of your own"),
        Choice(roles, "from the options and the file"),
        *_months_first(settings),
        *limits,
        Choice({"splitter": request.splitter} | dealt, split.why),
        clusters,
        model_choice(
            split.rows,
            split.splits,
            schema,
            copies_together=split.settings.get("copies_together", True),
            text=text.values,
        ),
        text,
    ]
    found = describe(rows, schema)
    if text.why and not text.values:
        found.append(text.why)
    if len(unusable):
        reasons = "; ".join(_reasons(unusable))
        found.append(f"set aside {counted(len(unusable), 'unusable row')}: {reasons}")
    counts = ", ".join(f"{int((split.splits == name).sum()):,} {name}" for name in SPLITS)
    found.append(f"split     {request.splitter}: {counts} rows")
    found.append(f"clusters  {clusters.values['evaluate.cluster'] or 'none'}: {clusters.why}")
    doubtful = dangers(rows, split, schema, request.splitter)
    told = changes(choices, params)
    why = [one.why for one in limits]
    return Plan(found, [*why, *doubtful, *left], merged(choices), changes=tuple(told))


def _read(folder: Path, settings: dict[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a table's rows, and the settings with how it is read and what its task is."""
    raw = make_block("dataset", "table", settings).read_raw(folder)
    # Those of another table, which may have had other columns, were recorded by this command.
    for setting in {"marks", "types"} & settings.keys():
        known = settings[setting].items()
        known = {name: one for name, one in known if name in raw or one not in (".", ",", "date")}
        settings = settings | {setting: known}
    table = make_block("dataset", "table", settings)
    rows = table.rows(raw)
    settings = settings | read_as(table, raw, rows)
    schema = make_block("dataset", "table", settings).schema(rows)
    if settings.get("positive") is not None and schema.positive is None:
        labels = a_few(map(str, sorted(rows[schema.target].dropna().unique())), 5)
        raise CrivoError(
            f"--positive is {settings['positive']!r}, but the task is {schema.task}, which has no "
            f"positive class: the target {schema.target!r} has the values {labels}. Leave "
            "--positive out, or correct the labels."
        )
    settings |= {"task": schema.task, "positive": schema.positive}
    task = task_of(schema)
    if not task.has_classes and (unit := _currency(raw[schema.target])):
        settings["words"] = {"unit": unit} | settings.get("words", {})
    more_classes = task.has_classes and task.max_classes > len(schema.classes)
    if more_classes and rows[schema.target].value_counts().min() < RARE:
        settings["min_class_rows"] = RARE
    return rows, settings


def _currency(cells: pd.Series) -> str | None:
    """Return the currency of a target's amounts; percentages become fractions, without a unit."""
    if not columns.is_text(cells):
        return None
    signs = columns.different(cells).str.extract(f"({columns.CURRENCY})")[0].dropna().unique()
    return next(iter(signs), None)


def _months_first(settings: Mapping[str, Any]) -> Iterator[Choice]:
    """Say why months come before days, where this was recorded."""
    if settings.get("day_first") is False:
        values = {f"datasets.table.{name}": settings.get(name) for name in ("day_first", "types")}
        why = "dates such as 03/04/2020 don't say which part is the month; crivo takes the first"
        yield Choice(values, why)


def read_as(table: TableDataset, raw: pd.DataFrame, rows: pd.DataFrame) -> dict[str, Any]:
    """Return settings with which one row alone is read as it was among all of these.

    They are the decimal marks, whether days come first, and cells such as `-` that counted as
    missing because they aren't numbers or dates. A cell that means something in another column
    isn't listed. Columns of dates whose order of day and month isn't sure are listed in `types`,
    so that only a new one is asked about.
    """
    reading = table.reading.of(raw.drop(columns=[*table.drop]))
    odd, known, marks = set[str](), set[str](), dict[Any, str | None]()
    types, orders = dict(table.types or {}), set[str]()
    for name in (name for name in raw if name in rows and columns.is_text(raw[name])):
        gaps = rows[name].isna()
        texts = columns.different(raw[name][~gaps], reading.missing)
        odd.update(columns.different(raw[name][gaps], reading.missing))
        known.update(texts)
        if columns.type_of(rows[name]) == "number":
            sure = reading.marks.get(str(name)) or next(iter(columns.decimal_marks(texts)), None)
            marks[name] = sure or reading.decimal
            pointed = texts[texts.str.contains(".", regex=False)]
            if not sure and reading.decimal == "," and len(pointed):
                log.warning(
                    f"{name}: the point in {pointed.min()!r} is read as a thousands separator, as "
                    "other columns have decimal commas; if it is a decimal point, set "
                    f"datasets.table.marks: {{{name}: .}}"
                )
        elif columns.type_of(rows[name]) == "date" and not reading.day_first:
            form, *others = columns.date_forms(texts)
            types |= {str(name): "date"} if others or "%y" in form else {}
            orders.add(form[: len("%d %m")])
    unsure = types != (table.types or {})
    listed = [cell for cell in sorted(odd - known) if pd.isna(pd.to_numeric(cell, "coerce"))]
    found = {
        "decimal": reading.decimal if reading.decimal == "," else None,
        "marks": {name: mark for name, mark in marks.items() if mark != reading.decimal},
        "day_first": False if unsure and "%d %m" not in orders else reading.day_first,
        "types": types if unsure else None,
        "missing": [*table.missing, *listed] if 0 < len(listed) <= 20 else None,
    }
    return {setting: value for setting, value in found.items() if value or value is False}


def _require_ids(rows: pd.DataFrame, schema: Schema, request: Request, allowed: float) -> None:
    """Raise CrivoError when a column that should name rows names several at a time."""
    ids = rows[schema.id].dropna()
    repeated = ids[ids.duplicated(keep=False)]
    if len(repeated) <= allowed * len(rows):
        return
    name = ", ".join(request.id)
    raise CrivoError(
        f"--id {name} doesn't identify single rows: {len(repeated):,} of {len(rows):,} rows "
        f"have {counted(repeated.nunique(), 'repeated value')} ({repeated.iloc[0]!r}). If rows of "
        f"one {name} belong together, name it with --group; otherwise, leave --id out, or name a "
        "second column."
    )


def _limit(
    quarantined: pd.DataFrame, rows: pd.DataFrame, request: Request, allowed: float
) -> Iterator[Choice]:
    """Give the limit that lets unusable rows pass; CrivoError when they are too many to guess."""
    percent = 100 * len(quarantined) / len(rows)
    if percent <= 100 * allowed:
        return
    limit = math.ceil(percent) / 100
    share = f"{percent:.1f} % of the rows can't be used"
    if len(quarantined) > MAX_LIMIT * len(rows) and not request.yes:
        reasons = "; ".join(_reasons(quarantined))
        raise CrivoError(
            f"{share}: {reasons}. Correct the file or the options; --yes sets these rows aside."
        )
    why = f"{share}: prepare.quarantine_limit is raised to {limit:g}."
    yield Choice({"prepare.quarantine_limit": limit}, why)


def _left(left: pd.DataFrame, rows: pd.DataFrame, request: Request) -> Iterator[str]:
    """Say how many rows fit no split."""
    if left.empty:
        return
    text = (
        f"The split sets aside {len(left):,} of {len(rows):,} rows, because the other rows of "
        f"their {request.group} are in another split."
    )
    if len(left) > MAX_LIMIT * len(rows):
        text += (
            f" To predict later rows of known values of {request.group}, give only --time; to "
            "predict rows of new values, but not later ones, give only --group."
        )
        if not request.yes:
            raise CrivoError(f"{text} --yes sets these rows aside.")
    yield text


def _reasons(quarantined: pd.DataFrame) -> list[str]:
    reasons = count_reasons(quarantined["reason"]).head(3).to_numpy()
    return [f"{reason} ({rows:,})" for reason, rows in reasons]
