"""Reads and checks `params.yaml`: every setting of the project, wrong ones refused by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, NonNegativeInt, model_validator

from crivo.core.blocks import KINDS, Count, Names
from crivo.core.errors import CrivoError
from crivo.core.parsing import read_yaml
from crivo.core.problems import Problems, checked, shown
from crivo.core.registry import make_block
from crivo.core.schema import Period

PARAMS_FILE = Path("params.yaml")

Fraction = Annotated[float, Field(ge=0, le=1)]
# What NumPy's generators take.
Seed = Annotated[int, Field(ge=0, lt=2**32)]


class Section(BaseModel):
    """Settings that belong together; unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PrepareSettings(Section):
    """`quarantine_limit`: the largest share of rows that may be set aside before the run stops.

    `moved_limit`: how many rows of the last commit's result may go to another split.
    """

    quarantine_limit: Fraction = 0.1
    moved_limit: NonNegativeInt = 0


class TrainSettings(Section):
    """`early_stopping_fraction`: the share of the training rows that early stopping may watch, by
    time or group. `fraction`: the share on which the model is fitted, the latest rows or by group;
    less than 1 makes a point of a learning curve, which isn't compared.
    """

    fraction: Annotated[float, Field(gt=0, le=1)] = 1.0
    early_stopping_fraction: Annotated[float, Field(ge=0, le=0.5)] = 0.1


# Sums of gains must stay numbers.
Gain = Annotated[FiniteFloat, Field(ge=-1e15, le=1e15)]


class ValueSettings(Section):
    """What acting on the riskiest rows is worth (binary tasks).

    `capacity`: the share of rows that can be acted on; without it the threshold that gains
    most is sought. `currency`: what gains are in. The others: what one row of each outcome gains;
    a cost is negative.
    """

    capacity: Annotated[float, Field(gt=0, lt=1)] | None = None
    currency: str = ""
    true_positive: Gain = 0.0
    false_positive: Gain = 0.0
    false_negative: Gain = 0.0
    true_negative: Gain = 0.0

    @property
    def gains(self) -> bool:
        """Whether any outcome is worth anything."""
        return any(
            (self.true_positive, self.false_positive, self.false_negative, self.true_negative)
        )

    @property
    def rule(self) -> Literal["capacity", "value", "even"]:
        """What a threshold is chosen for: the rows that fit, the highest gain, or one half."""
        if self.capacity is not None:
            return "capacity"
        return "value" if self.gains else "even"


class EvaluateSettings(Section):
    """Which rows are evaluated, and which of them belong together.

    `split`: the rows that choose (`valid`) or confirm (`test`); `refit`: before test rows are
    opened, the model is fitted again on training and validation rows; `cluster`: a column whose
    equal values belong together; `period`: dates of one period are equal values; `block`: how many
    consecutive values form one cluster;
    `slices`: columns to break the metrics down by; `value`: what acting on rows is worth;
    `checks`: checks of the project's own, by the names of their files in `src/blocks/checks`.
    """

    split: Literal["valid", "test"] = "valid"
    refit: bool = False
    cluster: str | None = None
    period: Period | None = None
    block: Count = 1
    slices: Names = ()
    value: ValueSettings = ValueSettings()
    checks: Names = ()


class Limit(Section):
    """How far a measured number may go: `at_least`, `at_most`, or both."""

    at_least: FiniteFloat | None = None
    at_most: FiniteFloat | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Limit:
        if self.at_least is None and self.at_most is None:
            raise ValueError("needs at_least or at_most")
        return self


class CompareSettings(Section):
    """How many trials are planned; only commands read it, so no stage runs again.

    `planned_trials`: how many on the same validation rows; `planned_looks`: how many models are to
    be opened on the test rows. Null: there may be any number. The plan that the first one was
    recorded with holds.
    """

    planned_trials: Count | None = None
    planned_looks: Count | None = None


class ChecksSettings(Section):
    """Which checks are muted; only `crivo check` reads it.

    `muted`: the code of each, with the reason. What they find is still listed, as muted.
    """

    muted: dict[str, Annotated[str, Field(pattern=r"\S")]] = {}


MISSING = "this section is missing; write `{}` for no settings"
# Read by commands and by no stage.
COMMAND_SECTIONS = ("limits", "compare", "checks", "search")


class Params(Section):
    """Every setting of the project. Only the stage scripts read it; logic is given values."""

    seed: Seed
    dataset: str
    splitter: str
    featurizer: str
    model: str
    baseline: str
    evaluator: str
    prepare: PrepareSettings
    train: TrainSettings
    evaluate: EvaluateSettings
    compare: CompareSettings = CompareSettings()
    checks: ChecksSettings = ChecksSettings()
    limits: dict[str, Limit] = {}
    search: dict[str, Any] = {}
    datasets: dict[str, dict[str, Any] | None]
    splitters: dict[str, dict[str, Any] | None]
    featurizers: dict[str, dict[str, Any] | None]
    models: dict[str, dict[str, Any] | None]
    evaluators: dict[str, dict[str, Any] | None]

    def settings(self, kind: str, name: str) -> dict[str, Any]:
        """Return the settings of one block of a kind, in use or not; empty where there are none."""
        return getattr(self, KINDS[kind][0]).get(name) or {}

    def block(self, kind: str) -> Any:
        """Return the block of a kind that the settings choose, with its settings."""
        name = getattr(self, kind)
        return make_block(kind, name, self.settings(kind, name))


def read_params(path: Path = PARAMS_FILE) -> Params:
    """Return the checked settings of a file.

    Problems: one sentence for each setting that is unknown, missing, of the wrong type or out of
    range, anywhere in the file. CrivoError: the file is missing or isn't YAML.
    """
    return check_params(read_settings(path))


def read_settings(path: Path = PARAMS_FILE) -> dict[str, Any]:
    """Return the settings in a file, unchecked; CrivoError if it holds anything else."""
    values = read_yaml(path)
    if not isinstance(values, dict):
        raise CrivoError(
            f"{path.name} holds {shown(values)}; expected settings in lines such as `key: value`."
        )
    return values


def check_params(values: Mapping[str, Any]) -> Params:
    """Return the settings as `Params`; Problems with a sentence for each that is wrong."""
    problems = _block_problems(values) | dict(_unsupported(values))
    try:
        params = checked(Params, values)
    except Problems as error:
        problems = {**error.by_key, **problems}
    if problems:
        raise Problems(problems)
    return params


def _unsupported(values: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Find bare dates, on which DVC fails with an error that names no way out, bytes and sets."""
    if isinstance(values, Mapping):
        for name, value in values.items():
            yield from _unsupported(value, f"{key}.{name}".removeprefix("."))
    elif isinstance(values, list):
        for value in values:
            yield from _unsupported(value, key)
    elif isinstance(values, date):
        yield key, f"is a bare date, which DVC can't store; write it in quotes: '{values}'"
    elif values is not None and not isinstance(values, bool | int | float | str):
        kind = type(values).__name__
        yield key, f"is of type {kind}; expected text, numbers, true, false, lists or sections"


def _block_problems(values: Mapping[str, Any]) -> dict[str, str]:
    """Check every block section, in use or not, and every block that is chosen."""
    found: dict[str, str] = {}
    for kind, (folder, _) in KINDS.items():
        chosen, sections = values.get(kind), values.get(folder)
        sections = sections if isinstance(sections, Mapping) else {}
        for name in {**sections, **({chosen: None} if isinstance(chosen, str) else {})}:
            try:
                make_block(kind, name, sections.get(name))
            except Problems as error:
                found = {**error.by_key, **found}
            else:
                if name not in sections:
                    found[f"{folder}.{name}"] = MISSING
    return found
