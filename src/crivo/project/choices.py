"""The settings that suit a table, each with the reason that `crivo start` gives for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from crivo.core.params import ValueSettings
from crivo.core.parsing import parse_yaml
from crivo.project.contents import shipped_file
from crivo.project.params_file import can_set, setting_at
from crivo.project.request import Request

# Two hundred trees learn a small table by heart; so many don't.
FEW_TREES = 50
# Why settings of an earlier table go.
UNDONE = (
    "reset to defaults",
    "columns, costs and limits of another table mean nothing here",
)


# Whatever an earlier table asked for is undone: its costs and limits, its few trees, its bad rows.
RESET = (
    *("baseline", "evaluator", "prepare", "train", "evaluate.split", "splitters.by_group"),
    *("splitters.by_time_and_group", "splitters.at_random", "featurizers.tabular"),
    *("models.boosting", "models.linear", "evaluators.standard"),
)
# What params.yaml says of the flights there, and a table of one's own doesn't have.
EMPTY: dict[str, Any] = {
    "evaluate.slices": [],
    **{f"evaluate.value.{name}": one for name, one in ValueSettings().model_dump().items()},
    "limits": {},
    "evaluators.standard.primary": None,
    "evaluators.standard.metrics": [],
}
# Dates that cut another table mean nothing here.
BY_TIME = {"splitters.by_time.valid_from": 0.6, "splitters.by_time.test_from": 0.8}


class Choice(NamedTuple):
    """Settings by their dotted keys, and why they are so."""

    values: Mapping[str, Any]
    why: str


@cache
def shipped() -> dict[str, Any]:
    """Return the values of a new project's params.yaml by their dotted keys, less the flights'."""
    settings = parse_yaml(shipped_file("params.yaml").encode())
    found: dict[str, Any] = {}
    for key in RESET:
        value = settings
        for name in key.split("."):
            value = value[name]
        inner = value.items() if isinstance(value, Mapping) else ()
        found |= {f"{key}.{name}": one for name, one in inner} if inner else {key: value}
    return {key: value for key, value in found.items() if key not in EMPTY}


def table_choices(request: Request, table: Mapping[str, Any]) -> list[Choice]:
    """Return what another table leaves behind, undone, and how this one is read."""
    roles = {f"datasets.table.{name}": value for name, value in table.items()}
    blocks = {"dataset": "table", "featurizer": "tabular", "model": "boosting"}
    return [
        Choice(shipped() | BY_TIME, UNDONE[0]),
        Choice(EMPTY, UNDONE[1]),
        Choice(blocks, "a table of your own"),
        Choice(roles, "from the options and the file"),
    ]


def split_choice(splitter: str, settings: Mapping[str, Any], why: str) -> Choice:
    """Return the splitter with its settings."""
    values = {f"splitters.{splitter}.{name}": value for name, value in settings.items()}
    return Choice({"splitter": splitter} | values, why)


def merged(choices: Sequence[Choice]) -> dict[str, Any]:
    """Return all settings; of two choices of one setting the later counts."""
    return {key: value for choice in choices for key, value in choice.values.items()}


def changes(
    choices: Sequence[Choice], params: Mapping[str, Any], *, new: bool = False
) -> list[str]:
    """Return what changes in the settings of a project: a line for each reason that has any.

    `new`: nobody has seen the settings before, so what they were, and what is undone, isn't said.
    """
    final = merged(choices)
    lines, told = [], set[str]()
    for choice in reversed(choices):
        keys = [key for key in choice.values if key not in told and can_set(params, key)]
        told |= choice.values.keys()
        shown = [_change(key, final[key], params, new=new) for key in keys]
        undone = new and choice.why in UNDONE
        if (texts := [text for text in shown if text]) and not undone:
            lines.append(f"{', '.join(texts)} ({choice.why})")
    return lines[::-1]


def _change(key: str, value: Any, params: Mapping[str, Any], *, new: bool) -> str:
    old = setting_at(params, key)
    if json.dumps(old) == json.dumps(value) or (new and value is None):
        return ""
    if not old and not value and old is not False:
        return ""
    was = "" if new or old in (None, [], {}) or isinstance(old, dict) else f", was {_plain(old)}"
    return f"{key}: {_plain(value)}{was}"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return "nothing"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "not set" if value is None else json.dumps(value, ensure_ascii=False).strip('"')
