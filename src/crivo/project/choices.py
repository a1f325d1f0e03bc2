"""`Choice`: settings for a table with the reason for them, merged and shown by `crivo start`.

Those that every table gets are here. Others are decided in `split_choice`, `model_choice`,
`text_choice` and `clusters`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from crivo.core.params import ValueSettings
from crivo.project.params_file import can_set, setting_at
from crivo.project.request import Request

# Two hundred trees learn a small table by heart; so many don't.
FEW_TREES = 50
# Columns, days, costs, limits and the text of another table mean nothing here.
RESET: dict[str, Any] = {
    "splitters.by_time.valid_from": 0.6,
    "splitters.by_time.test_from": 0.8,
    "evaluate.split": "valid",
    "evaluate.slices": [],
    **{f"evaluate.value.{name}": one for name, one in ValueSettings().model_dump().items()},
    "limits": {},
    "featurizers.tabular.keep_text": False,
    "models.linear.text": "words",
    "models.boosting.early_stopping": 0,
    "evaluators.standard.primary": None,
    "evaluators.standard.metrics": [],
    "evaluators.standard.margin": 0.0,
    "evaluators.standard.margins": {},
}


class Choice(NamedTuple):
    """Settings by their dotted keys, and why they are so; without a reason they aren't told."""

    values: Mapping[str, Any]
    why: str


def table_choices(request: Request, table: Mapping[str, Any]) -> list[Choice]:
    """Return what another table leaves behind, undone, and how this one is read."""
    roles = {f"datasets.table.{name}": value for name, value in table.items()}
    return [
        Choice(RESET, ""),
        Choice({"dataset": "table", "featurizer": "tabular"}, "a table of your own"),
        Choice(roles, "from the options and the file"),
    ]


def split_choice(splitter: str, settings: Mapping[str, Any], why: str) -> Choice:
    """Return the splitter with its settings."""
    values = {f"splitters.{splitter}.{name}": value for name, value in settings.items()}
    return Choice({"splitter": splitter} | values, why)


def merged(choices: Sequence[Choice]) -> dict[str, Any]:
    """Return all settings; of two choices of one setting the later counts."""
    return {key: value for choice in choices for key, value in choice.values.items()}


def changes(choices: Sequence[Choice], params: Mapping[str, Any]) -> list[str]:
    """Return what is set other than it was in a project: a line for each reason."""
    why = {key: choice.why for choice in choices for key in choice.values}
    lines: dict[str, list[str]] = {choice.why: [] for choice in choices}
    for key, value in merged(choices).items():
        differs = json.dumps(value) != json.dumps(setting_at(params, key))
        if why[key] and differs and value not in (None, [], {}) and can_set(params, key):
            lines[why[key]].append(f"{key}: {_plain(value)}")
    return [f"{', '.join(shown)} ({reason})" for reason, shown in lines.items() if shown]


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False).strip('"')
