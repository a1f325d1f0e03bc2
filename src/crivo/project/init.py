"""`crivo init`: everything between a file and `dvc repro`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.core.artifacts import SPLITS, write_text
from crivo.core.params import read_yaml
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.preparation.profile import quarantine_reasons
from crivo.preparation.quarantine import quarantine
from crivo.preparation.splits import check_split
from crivo.project import place
from crivo.project.data_summary import dangers, describe
from crivo.project.flights import remove_flights, without_flights
from crivo.project.params_file import edited_params
from crivo.project.request import (
    RARE,
    Request,
    pipeline_settings,
    raised_limit,
    splitter_settings,
)


@dataclass(frozen=True)
class Plan:
    """What was found in a table, what looks dangerous in it, and the settings that suit it."""

    found: list[str]
    dangers: list[str]
    settings: dict[str, Any]
    # The files that went with the data that were there.
    removed: tuple[str, ...] = ()


def init_table(project: Path, source: Path, request: Request, *, force: bool = False) -> Plan:
    """Bring a file into the project, write its settings and track it; return what was found.

    The flights go. Nothing has changed when a CrivoError says why the file can't be used.
    """
    params = project / "params.yaml"
    place.require_place(project, force)
    with place.copied(source, project) as beside:
        plan = make_plan(beside, request, read_yaml(params))
        text = without_flights(edited_params(params, plan.settings))
        place.put_in_place(beside, project)
    place.track(project)
    write_text(params, text)
    return replace(plan, removed=tuple(remove_flights(project)))


def make_plan(folder: Path, request: Request, params: Mapping[str, Any]) -> Plan:
    """Look at the table in a folder and find settings with which the pipeline runs.

    CrivoError: it can't be read, its target can't be predicted, or no split would do.
    """
    settings = request.table((params.get("datasets") or {}).get("table") or {})
    rows = make_block("dataset", "table", settings).load(folder)
    schema = make_block("dataset", "table", settings).schema(rows)
    settings |= {"task": schema.task, "positive": schema.positive}
    task = task_of(schema)
    more_classes = task.has_classes and task.max_classes > len(schema.classes)
    if more_classes and rows[schema.target].value_counts().min() < RARE:
        settings["min_class_rows"] = RARE
        schema = make_block("dataset", "table", settings).schema(rows)
    unusable = make_block("dataset", "table", settings).unusable(rows)
    good, quarantined = quarantine(rows, schema, unusable, limit=1.0)
    splitting = splitter_settings(request.splitter, schema, len(good), _rarest(good, schema))
    splits = make_block("splitter", request.splitter, splitting).split(good, schema)
    check_split(splits, good, schema, request.splitter)
    changes = pipeline_settings(request, settings, splitting, int((splits == "train").sum()))
    description = [*describe(rows, schema), *_aside(quarantined), _split(splits, request.splitter)]
    warnings = dangers(rows, schema, request.splitter)
    allowed = (params.get("prepare") or {}).get("quarantine_limit", 0.0)
    limit = raised_limit(allowed, len(quarantined), len(rows))
    if limit > allowed:
        changes["prepare.quarantine_limit"] = limit
        share = f"{len(quarantined) / len(rows):.1%} of the rows can't be used"
        warnings.insert(0, f"{share}: prepare.quarantine_limit is raised to {limit:g}.")
    return Plan(description, warnings, changes)


def _rarest(rows: pd.DataFrame, schema: Schema) -> int:
    return int(rows[schema.target].value_counts().min())


def _aside(quarantined: pd.DataFrame) -> list[str]:
    """Say which rows can't be used."""
    if quarantined.empty:
        return []
    reasons = quarantine_reasons(quarantined).head(3).to_numpy()
    reason_counts = "; ".join(f"{reason} ({rows:,})" for reason, rows in reasons)
    return [f"set aside {len(quarantined):,} rows can't be used: {reason_counts}"]


def _split(splits: pd.Series, splitter: str) -> str:
    counts = ", ".join(f"{int((splits == split).sum()):,} {split}" for split in SPLITS)
    return f"split     {splitter}: {counts} rows"
