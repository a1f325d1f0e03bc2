"""The settings that suit a table, each with the reason that `crivo start` gives for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from crivo.project.params_file import may_set, setting_at
from crivo.project.request import Request
from crivo.project.shipped import BY_TIME, EMPTY, shipped

# Two hundred trees learn a small table by heart; so many don't.
FEW_TREES = 50
# Why settings of an earlier table go.
UNDONE = (
    "as crivo ships it: nothing is left from another table",
    "columns, costs and limits of another table mean nothing here",
)


class Choice(NamedTuple):
    """Settings by their dotted keys, and why they are so."""

    values: Mapping[str, Any]
    why: str


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
        keys = [key for key in choice.values if key not in told and may_set(params, key)]
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
