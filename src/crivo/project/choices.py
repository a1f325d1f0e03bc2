"""What `crivo start` is asked for, a `Request`, and what it sets: a `Choice` with its reason.

Settings that every table gets are here. Others are decided in `split_choice`, `model_choice` and
`clusters`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crivo.core.params import ValueSettings
from crivo.core.schema import Task
from crivo.project.params_file import can_set, setting_at

# How a file is read; what another one of its table needs, too.
READING = (
    *("types", "missing", "delimiter", "encoding"),
    *("decimal", "marks", "day_first", "header", "sheet"),
)
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


@dataclass(frozen=True)
class Request:
    """The options of `crivo start`; what is left out is found out."""

    target: str
    task: Task | None = None
    positive: str | None = None
    id: tuple[str, ...] = ()
    time: str | None = None
    group: str | None = None
    weight: str | None = None
    outcome: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    sheet: str | None = None
    # More than a fifth of the rows may be set aside.
    yes: bool = False

    def table(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of `datasets.table`: how to read stays as it was, roles are new."""
        settings = {name: known[name] for name in READING if known.get(name) is not None}
        if known.get("words"):  # of another target, they may be wrong
            settings["words"] = known["words"] if known.get("target") == self.target else {}
        if self.sheet is not None:
            settings["sheet"] = self.sheet
        return settings | self._said | {"info": [], "min_class_rows": 1}

    def is_met_by(self, known: Mapping[str, Any]) -> bool:
        """Say whether `datasets.table` says already all that is asked for."""
        asked = self._said | {"sheet": self.sheet}
        return all(known.get(name) == value for name, value in asked.items() if value)

    @property
    def _said(self) -> dict[str, Any]:
        said = {name: value for name, value in vars(self).items() if name not in ("sheet", "yes")}
        return {name: [*one] if isinstance(one, tuple) else one for name, one in said.items()}

    @property
    def splitter(self) -> str:
        """The name of the splitter that suits the roles."""
        names = [name for name in ("time", "group") if getattr(self, name)]
        return f"by_{'_and_'.join(names)}" if names else "at_random"


class Choice(NamedTuple):
    """Settings by their dotted keys, and why they are so; without a reason they aren't told."""

    values: Mapping[str, Any]
    why: str


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
    """Return a setting's value as text; only a sign is quoted.

    >>> _plain("by_time"), _plain([1, 2]), _plain(",")
    ('by_time', '1, 2', '","')
    """
    if isinstance(value, list):
        return ", ".join(map(str, value))
    text = json.dumps(value, ensure_ascii=False)
    return text.strip('"') if any(map(str.isalnum, text)) else text
