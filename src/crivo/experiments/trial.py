"""A new trial: named after what it changes, and not run when its result is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE, check_params, read_yaml
from crivo.experiments.history import History, keep_trials, read_history
from crivo.experiments.naming import experiment_name, numbered
from crivo.experiments.records import Record, usable
from crivo.experiments.sandbox import workspace_sandbox
from crivo.experiments.settings import is_used, used
from crivo.repository.overrides import with_changes

# Dependencies that a stage made, and the incumbent, which changes no prediction.
MADE = ("data/prepared/", "data/features/", "models/", "metrics/")


@dataclass(frozen=True)
class Plan:
    """A trial to come: its name, its settings, and the experiment that has them already."""

    name: str
    settings: dict[str, Any]
    duplicate: Record | None


def try_settings(
    changes: Sequence[str],
    *,
    message: str = "",
    name: str | None = None,
    again: bool = False,
    folder: Path = Path(),
) -> str:
    """Run a trial of the workspace with some settings changed, and return its name.

    `changes` are `key=value`, as `dvc exp run -S` takes them; `message` is the hypothesis. The
    name is made of what changed. CrivoError: a setting is wrong or isn't read, or an
    experiment with the same settings and code exists (unless `again`).
    """
    history = read_history(folder)
    plan = plan_trial(history, changes)
    if plan.duplicate is not None and not again:
        raise CrivoError(
            f"{plan.duplicate.name} has these settings and this code already; see it with `crivo "
            f"compare {plan.duplicate.name}`. Its result would be the same (--again runs it)."
        )
    name = free_name(history, name or plan.name)
    with workspace_sandbox(history.repository, history.head or "") as place:
        place.run(name, changes, message, live_output=True)
    keep_trials(read_history(folder))
    return name


def plan_trial(history: History, changes: Sequence[str]) -> Plan:
    """Return the name and the settings of a trial, and its duplicate if there is one."""
    before = read_yaml(history.repository.project / PARAMS_FILE)
    settings = with_changes(history.repository.project / PARAMS_FILE, changes)
    check_params(settings)
    for change in changes:
        key = change.lstrip("+~").partition("=")[0]
        if not is_used(key, settings):
            raise CrivoError(
                f"{key} is not read with the blocks that are chosen, so this trial would change "
                "nothing; choose its block too, as in `crivo try model=forest "
                "models.forest.trees=500`."
            )
    committed = history.find("HEAD").settings if history.head else before
    return Plan(
        experiment_name(settings, committed or before), settings, duplicate(history, settings)
    )


def duplicate(history: History, settings: Mapping[str, Any]) -> Record | None:
    """Return an evaluated record with the same settings, made by the code of the workspace."""
    wanted = used(settings)
    for record in history.records:
        if usable(record) and used(record.settings) == wanted and _same_code(history, record):
            return record
    return None


def inputs_of(record: Record) -> list[str]:
    """Return the files that a record's stages read and that no stage made: code, lock, data."""
    read = [part["path"] for stage in record.lock.values() for part in stage.get("deps", ())]
    return [path for path in dict.fromkeys(read) if not path.startswith(MADE)]


def _same_code(history: History, record: Record) -> bool:
    """Whether the files that the record's stages read are those of the workspace."""
    paths = inputs_of(record)
    if not paths:
        return False
    paths += [f"{path}.dvc" for path in paths] + ["dvc.yaml"]
    prefix = history.repository.prefix
    files = [prefix + path for path in paths]
    return history.repository.has_files(record.origin.revision, files)


def free_name(history: History, name: str, parent: str | None = None) -> str:
    """Return the name, with a number when its commit (the one checked out) has it already."""
    parent = parent or history.head
    here = {record.name for record in history.trials if record.origin.parent == parent}
    return numbered(name, here)
