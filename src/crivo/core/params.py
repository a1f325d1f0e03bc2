"""Reads and checks `params.yaml`: every setting of the project, wrong ones refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, ValidationError
from ruamel.yaml import YAML, YAMLError

from crivo.core.blocks import (
    KINDS,
    Names,
    Problem,
    Problems,
    block_names,
    did_you_mean,
    explain,
    make_block,
)
from crivo.core.errors import CrivoError

PARAMS_FILE = Path("params.yaml")

Share = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """Settings that belong together; unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PrepareSettings(Section):
    """`quarantine_limit`: the largest share of rows that may be set aside before the run stops."""

    quarantine_limit: Share = 0.1


class TrainSettings(Section):
    """`watch`: the share of training rows, by time or group, that early stopping may watch."""

    watch: Annotated[float, Field(ge=0, le=0.5)] = 0.1


class EvaluateSettings(Section):
    """Which rows are judged, and which of them share their fate.

    `split`: the rows that choose (`valid`) or confirm (`test`); `cluster`: a column whose
    equal values belong together; `block`: how many consecutive values of it form one cluster;
    `slices`: columns to break the metrics down by.
    """

    split: Literal["valid", "test"] = "valid"
    cluster: str | None = None
    block: PositiveInt = 1
    slices: Names = ()


class Params(Section):
    """Every setting of the project. Only the stage scripts read it; logic is given values."""

    seed: NonNegativeInt
    dataset: str
    splitter: str
    featurizer: str
    model: str
    baseline: str
    evaluator: str
    prepare: PrepareSettings
    train: TrainSettings
    evaluate: EvaluateSettings
    datasets: dict[str, dict[str, Any] | None]
    splitters: dict[str, dict[str, Any] | None]
    featurizers: dict[str, dict[str, Any] | None]
    models: dict[str, dict[str, Any] | None]
    evaluators: dict[str, dict[str, Any] | None]

    def block(self, kind: str) -> Any:
        """Return the block of a kind that the settings choose, with its settings."""
        name = getattr(self, kind)
        return make_block(kind, name, getattr(self, KINDS[kind][0]).get(name))


def read_params(path: Path = PARAMS_FILE) -> Params:
    """Return the checked settings of a file.

    Problems: one sentence for each setting that is unknown, missing, mistyped or out of
    range, anywhere in the file. CrivoError: the file is missing or is no YAML.
    """
    return check_params(read_yaml(path))


def read_yaml(path: Path) -> Any:
    """Return what a YAML 1.2 file holds, read as DVC reads it (`1e-5` is a number)."""
    try:
        return YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CrivoError(f"There is no {path} here; run this in the project's folder.") from None
    except (YAMLError, UnicodeDecodeError) as error:
        place = " ".join(str(error).split())
        raise CrivoError(f"{path} is no valid YAML: {place}. Mend that line.") from None


def check_params(values: Any) -> Params:
    """Return the settings as `Params`; Problems with a sentence for each that is wrong."""
    if not isinstance(values, Mapping):
        raise CrivoError(f"params.yaml holds {values!r}; expected settings, `key: value` lines.")
    problems = _dates(values, "")
    params = None
    try:
        params = Params(**{str(key): value for key, value in values.items()})
    except ValidationError as error:
        problems += explain_sections(error)
    problems += _block_problems(values)
    if problems or params is None:
        raise Problems(list(dict.fromkeys(problems)))
    return params


def _dates(values: Any, section: str) -> list[Problem]:
    """Find bare dates: DVC fails on them with an error that names no way out."""
    if isinstance(values, Mapping):
        return [p for key, value in values.items() for p in _dates(value, f"{section}.{key}")]
    if isinstance(values, date):
        message = f"is a bare date, which DVC can't store; write it in quotes: '{values}'"
        return [Problem(section.removeprefix("."), message)]
    return []


def explain_sections(error: ValidationError) -> list[Problem]:
    """Return pydantic's findings as sentences, with the settings that each section knows."""
    problems = []
    for finding in explain(error, "", list(Params.model_fields)):
        section, _, key = finding.key.partition(".")
        if finding.message.startswith("unknown setting") and key:
            kind = Params.model_fields[section].annotation
            known = list(getattr(kind, "model_fields", {}))
            hint = did_you_mean(key, known)
            message = f"unknown setting{hint} (settings here: {', '.join(known)})"
            finding = Problem(finding.key, message)
        problems.append(finding)
    return problems


def _block_problems(values: Mapping[str, Any]) -> list[Problem]:
    """Check every block section, in use or not, and every block that is chosen."""
    problems: list[Problem] = []
    for kind, (folder, _) in KINDS.items():
        sections = values.get(folder)
        sections = sections if isinstance(sections, Mapping) else {}
        chosen = values.get(kind)
        names = block_names(kind)
        if isinstance(chosen, str) and chosen not in names:
            problems.append(Problem(kind, _no_such(kind, chosen, names)))
        elif isinstance(chosen, str) and chosen not in sections:
            key = f"{folder}.{chosen}"
            problems.append(Problem(key, "this section is missing; write `{}` for no settings"))
        for name, settings in sections.items():
            if name not in names:
                problems.append(Problem(f"{folder}.{name}", _no_such(kind, name, names)))
                continue
            try:
                make_block(kind, name, settings)
            except Problems as error:
                problems += error.found
    return problems


def _no_such(kind: str, name: str, names: list[str]) -> str:
    hint = did_you_mean(name, names)
    return f"there is no {kind} {name!r}{hint} (there are: {', '.join(names)})"
