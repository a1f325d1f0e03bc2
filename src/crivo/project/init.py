"""`crivo start`: everything between a file and `dvc repro`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.core.artifacts import SPLITS, write_text
from crivo.core.errors import CrivoError
from crivo.core.params import read_yaml
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.preparation.prepared import quarantine_reasons
from crivo.preparation.quarantine import quarantine
from crivo.preparation.splits import divide
from crivo.project import place
from crivo.project.choices import (
    Choice,
    changes,
    merged,
    shipped,
    split_choice,
    table_choices,
)
from crivo.project.clusters import choose_clusters
from crivo.project.data_summary import dangers, describe
from crivo.project.flights import remove_flights, without_flights
from crivo.project.model_choice import model_choice
from crivo.project.params_file import edited_params
from crivo.project.request import MAX_LIMIT, RARE, Request, raised_limit
from crivo.project.sample import sampled
from crivo.project.split_choice import Split, choose_split
from crivo.project.text_choice import text_choice

# The columns that say how rows are dealt out.
ROLES = ("id", "time", "group")


@dataclass(frozen=True)
class Plan:
    """What was found in a table, what looks dangerous in it, and the settings that suit it."""

    found: list[str]
    dangers: list[str]
    settings: dict[str, Any]
    # The files that went with the data that were there.
    removed: tuple[str, ...] = ()
    # What changes in params.yaml, a line for each reason.
    changes: tuple[str, ...] = ()


def init_table(
    project: Path, source: Path, request: Request, *, force: bool = False, new: bool = False
) -> Plan:
    """Bring a file into the project, write its settings and track it; return what was found.

    The flights go. `new`: the project is being made, so nobody knows its settings. Nothing has
    changed when a CrivoError says why the file can't be used.
    """
    params = project / "params.yaml"
    place.require_place(project, source, force)
    with place.copied(source, project) as beside:
        plan = make_plan(beside, request, read_yaml(params), new=new)
        text = without_flights(edited_params(params, plan.settings))
        place.put_in_place(beside, project)
    place.track(project)
    write_text(params, text)
    return replace(plan, removed=tuple(remove_flights(project)))


def make_plan(
    folder: Path, request: Request, params: Mapping[str, Any], *, new: bool = False
) -> Plan:
    """Look at the table in a folder and find settings with which the pipeline runs.

    Of a table that doesn't fit in memory it looks at a sample. CrivoError: it can't be read, its
    target can't be predicted, or no split would do.
    """
    known = (params.get("datasets") or {}).get("table") or {}
    again = params.get("dataset") == "table" and known.get("target") == request.target
    if again and request.task in (None, known.get("task")):
        settings = request.table_again(known)
        time, group = settings.get("time"), settings.get("group")
        request = replace(request, id=tuple(settings.get("id") or ()), time=time, group=group)
        make = _plan_again
    else:
        settings, make = request.table(known), partial(_plan, new=new)
    with sampled(folder, settings.get("files")) as (sample, words):
        plan = make(sample, settings, request, params)
    return replace(plan, found=[*words, *plan.found])


@dataclass(frozen=True)
class _Examined:
    """A table's rows, those of them that can be used, and a limit that lets the others pass."""

    rows: pd.DataFrame
    schema: Schema
    good: pd.DataFrame
    quarantined: pd.DataFrame
    limits: list[Choice]

    def found(self, splits: pd.Series, splitter: str, *more: str) -> list[str]:
        """Say what the table holds, and how it is split."""
        lines = [*describe(self.rows, self.schema), *more]
        if bad := len(self.quarantined):
            reasons = "; ".join(_reasons(self.quarantined))
            lines.append(f"set aside {bad:,} rows can't be used: {reasons}")
        counts = ", ".join(f"{int((splits == split).sum()):,} {split}" for split in SPLITS)
        return [*lines, f"split     {splitter}: {counts} rows"]

    def dangers(self, split: Split, splitter: str) -> list[str]:
        """Say what looks dangerous in the table."""
        limits = [one.why for one in self.limits]
        return limits + dangers(self.rows, split, self.schema, splitter)


def _examined(
    rows: pd.DataFrame, settings: Mapping[str, Any], request: Request, allowed: float
) -> _Examined:
    table = make_block("dataset", "table", settings)
    schema = table.schema(rows)
    _require_ids(rows, schema, request)
    good, quarantined = quarantine(rows, schema, table.unusable(rows), limit=1.0)
    limits = list(_limit(quarantined, rows, request, allowed))
    return _Examined(rows, schema, good, quarantined, limits)


def _plan_again(
    folder: Path, settings: dict[str, Any], request: Request, params: Mapping[str, Any]
) -> Plan:
    """Plan for new data of the same target: only what they demand changes in the settings."""
    rows = make_block("dataset", "table", settings).load(folder)
    seen = _examined(rows, settings, request, params["prepare"]["quarantine_limit"])
    roles = {f"datasets.table.{name}": value for name, value in settings.items()}
    choices = [Choice(roles, "from the options"), *seen.limits]
    split = _split_before(seen.good, seen.schema, settings, params)
    name = params["splitter"] if split else request.splitter
    if split is None:
        split = choose_split(request, seen.good, seen.schema)
        clusters = choose_clusters(split.rows, split.splits, seen.schema)
        choices += [split_choice(name, split.settings, split.why), clusters.choice]
    slices = params["evaluate"].get("slices") or []
    there = [column for column in slices if column in rows]
    if there != slices:
        choices.append(Choice({"evaluate.slices": there}, "the data lack the other columns"))
    told = changes(choices, params)
    return Plan(
        seen.found(split.splits, name),
        seen.dangers(split, name),
        merged(choices),
        changes=(*told, "nothing else: these are new data for the same target"),
    )


def _split_before(
    rows: pd.DataFrame, schema: Schema, settings: Mapping[str, Any], params: Mapping[str, Any]
) -> Split | None:
    """Return the split that the project has; None when columns of it or the data don't allow it."""
    known, name = params["datasets"]["table"], params["splitter"]
    if any((known.get(role) or None) != (settings.get(role) or None) for role in ROLES):
        return None
    chosen = (params.get("splitters") or {}).get(name) or {}
    try:
        return Split(chosen, *divide(make_block("splitter", name, chosen), name, rows, schema), "")
    except CrivoError:
        return None


def _plan(
    folder: Path,
    settings: dict[str, Any],
    request: Request,
    params: Mapping[str, Any],
    *,
    new: bool,
) -> Plan:
    """Plan for a table that nobody has described yet."""
    rows, settings = _read(folder, settings)
    seen = _examined(rows, settings, request, shipped()["prepare.quarantine_limit"])
    split = choose_split(request, seen.good, seen.schema)
    clusters = choose_clusters(split.rows, split.splits, seen.schema)
    text = text_choice(seen.good, seen.schema)
    choices = [
        *table_choices(request, settings),
        *seen.limits,
        split_choice(request.splitter, split.settings, split.why),
        clusters.choice,
        model_choice(
            split.rows,
            split.splits,
            seen.schema,
            copies_together=split.settings.get("copies_together", True),
            text=merged(text.choices),
        ),
        *text.choices,
    ]
    found = seen.found(split.splits, request.splitter, *text.found)
    return Plan(
        [*found, f"clusters  {clusters.words}"],
        [*seen.dangers(split, request.splitter), *_left(split.quarantined, seen.good, request)],
        merged(choices),
        changes=tuple(changes(choices, params, new=new)),
    )


def _read(folder: Path, settings: dict[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a table's rows, and the settings with how it is read and what its task is."""
    table = make_block("dataset", "table", settings)
    raw = table.read_raw(folder)
    rows = table.rows(raw)
    settings = settings | table.read_as(raw, rows)
    schema = make_block("dataset", "table", settings).schema(rows)
    settings |= {"task": schema.task, "positive": schema.positive}
    task = task_of(schema)
    more_classes = task.has_classes and task.max_classes > len(schema.classes)
    if more_classes and rows[schema.target].value_counts().min() < RARE:
        settings["min_class_rows"] = RARE
    return rows, settings


def _require_ids(rows: pd.DataFrame, schema: Schema, request: Request) -> None:
    """Raise CrivoError when a column that should name rows names several at a time."""
    ids = rows[schema.id].dropna()
    repeated = ids[ids.duplicated(keep=False)]
    if len(repeated) <= shipped()["prepare.quarantine_limit"] * len(rows):
        return
    name = ", ".join(request.id)
    raise CrivoError(
        f"--id {name} doesn't identify single rows: {repeated.nunique():,} of its values occur in "
        f"{len(repeated):,} of {len(rows):,} rows (such as {repeated.iloc[0]!r}). If rows of one "
        f"{name} belong together, give it as --group; else leave --id out, or give a second column."
    )


def _limit(
    quarantined: pd.DataFrame, rows: pd.DataFrame, request: Request, allowed: float
) -> Iterator[Choice]:
    """Give the limit that lets unusable rows pass; CrivoError when they are too many to guess."""
    limit = raised_limit(allowed, len(quarantined), len(rows))
    if limit <= allowed:
        return
    share = f"{100 * len(quarantined) / len(rows):.1f} % of the rows can't be used"
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
        f"{len(left):,} of {len(rows):,} rows are set aside, as the other rows of their "
        f"{request.group} are in another split."
    )
    if len(left) > MAX_LIMIT * len(rows):
        text += (
            f" If predictions will be about known values of {request.group}, give --time alone; if "
            "not about later rows, --group alone."
        )
        if not request.yes:
            raise CrivoError(f"{text} --yes sets these rows aside.")
    yield text


def _reasons(quarantined: pd.DataFrame) -> list[str]:
    reasons = quarantine_reasons(quarantined).head(3).to_numpy()
    return [f"{reason} ({rows:,})" for reason, rows in reasons]
