"""Differences between the results in a folder and those that its last commit records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose, isfinite
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_json, parse_yaml
from crivo.core.results import result
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK, Lock, LockedStage, flat, read_lock

# Another processor's arithmetic may change last digits; absolute below 1, relative above.
TOLERANCE = 1e-6


@result
class Moved:
    """An output with other bytes than recorded."""

    stage: str
    """The stage that made it."""
    path: str
    """Its path."""
    recorded: str | None
    """The recorded hash."""
    found: str | None
    """The hash of the new result."""


@result
class Metric:
    """A metric that differs by more than the tolerance, or isn't a number and differs."""

    name: str
    """The metric."""
    recorded: Any
    """The recorded value."""
    found: Any
    """The new value."""


@dataclass(frozen=True)
class ResultDiff:
    """What differs: outputs in the pipeline's order, metrics, and what else git sees changed.

    `largest`: the greatest difference of a metric; None when no metrics can be compared.
    """

    recorded: Lock
    found: Lock
    moved: tuple[Moved, ...]
    metrics: tuple[Metric, ...]
    largest: float | None
    left: tuple[str, ...]

    @property
    def first(self) -> str:
        """The first stage, in the pipeline's order, whose output moved."""
        return self.moved[0].stage if self.moved else ""

    @property
    def metrics_equal(self) -> bool:
        """Whether there are metrics, and all are equal within the tolerance."""
        return self.largest is not None and not self.metrics


def diff_from_commit(project: Repository) -> ResultDiff:
    """Return how the results in a folder differ from those of the commit checked out there."""
    committed = _committed(project, LOCK)
    if committed is None:
        raise CrivoError(
            f"{LOCK} isn't committed, so there is nothing to equal; run `dvc repro` and commit it."
        )
    recorded = read_lock(committed)
    place = project.project / LOCK
    if not place.exists():
        raise CrivoError(f"There is no {LOCK} here: the pipeline hasn't run; run `dvc repro`.")
    current_lock = read_lock(place.read_bytes())
    moved = tuple(_moved(recorded, current_lock))
    before, after = _metrics(project)
    largest = _largest(before, after) if before else None
    expected = {LOCK, *(one.path for one in moved)}
    left = [line for line in _changed(project) if line[3:] not in expected]
    return ResultDiff(recorded, current_lock, moved, _unequal(before, after), largest, tuple(left))


def _committed(project: Repository, path: str) -> bytes | None:
    key = ("HEAD", path)
    blobs = project.blobs([key])
    return blobs[key].content if blobs else None


def _moved(recorded: Lock, current_lock: Lock) -> list[Moved]:
    """Return the outputs that differ; stages in the order of the new lock, then those gone."""
    moved = []
    for name in [
        *current_lock.stages,
        *(one for one in recorded.stages if one not in current_lock.stages),
    ]:
        outs = [
            lock.stages[name].outs if name in lock.stages else {}
            for lock in (recorded, current_lock)
        ]
        for path in dict.fromkeys([*outs[0], *outs[1]]):
            before, after = (one[path].md5 if path in one else None for one in outs)
            if before != after:
                moved.append(Moved(name, path, before, after))
    return moved


def _changed(project: Repository) -> list[str]:
    """Return what git says has changed, as `status --porcelain` does, by the project's paths."""
    lines = project.lines(
        "status", "--porcelain", "--untracked-files=all", "--", project.prefix or "."
    )
    return [line[:3] + line[3:].strip('"').removeprefix(project.prefix) for line in lines]


# --- metrics ----------------------------------------------------------------------------------


def _metrics(project: Repository) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the metrics that git holds and those on the disk, one level deep.

    They are those of `metrics:` in dvc.yaml; cached ones can't be read from git.
    """
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for path in _metrics_files(project.project / "dvc.yaml"):
        committed, place = _committed(project, path), project.project / path
        if committed is not None and path.endswith(".json"):
            before |= _parsed(committed, path)
            after |= _parsed(place.read_bytes(), path) if place.exists() else {}
    return before, after


def _metrics_files(place: Path) -> list[str]:
    """Return the files that `metrics:` in a dvc.yaml names; CrivoError when it can't be read."""
    try:
        values = parse_yaml(place.read_bytes())
    except ParseError as error:
        raise CrivoError(f"{place.name} {error}; restore it with `git checkout`.") from None
    entries = values.get("metrics") if isinstance(values, dict) else None
    listed = entries if isinstance(entries, list) else []
    names = [next(iter(one), None) if isinstance(one, dict) else one for one in listed]
    return [name for name in names if isinstance(name, str)]


def _parsed(content: bytes, path: str) -> dict[str, Any]:
    try:
        return flat(parse_json(content))
    except ParseError as error:
        raise CrivoError(f"{path} {error}; run `dvc repro --force` and commit it again.") from None


def _unequal(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Metric, ...]:
    return tuple(
        Metric(name, before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if name not in before or name not in after or not _equal(before[name], after[name])
    )


def _equal(before: Any, after: Any) -> bool:
    if _is_number(before) and _is_number(after):
        return isclose(before, after, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(before == after)


def _largest(before: Mapping[str, Any], after: Mapping[str, Any]) -> float:
    pairs = [(before[name], after[name]) for name in before if name in after]
    gaps = [abs(one - other) for one, other in pairs if _is_number(one) and _is_number(other)]
    return max((gap for gap in gaps if isfinite(gap)), default=0.0)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# --- inputs -----------------------------------------------------------------------------------


def other_inputs(recorded: Lock, current_lock: Lock, name: str) -> list[str]:
    """Say which inputs of a stage are not those that it was recorded with.

    Without any, the same inputs gave another output. What another stage made is left out.
    """
    if name not in recorded.stages or name not in current_lock.stages:
        return ["dvc.yaml"]
    one, other = recorded.stages[name], current_lock.stages[name]
    paths = dict.fromkeys([*one.deps, *other.deps])
    changed = [
        path
        for path in paths
        if current_lock.maker(path) is None and _md5(one, path) != _md5(other, path)
    ]
    keys = dict.fromkeys([*one.settings, *other.settings])
    changed += [
        f"setting {key}" for key in keys if one.settings.get(key) != other.settings.get(key)
    ]
    return [*changed, *(["its command"] if one.command != other.command else [])]


def _md5(stage: LockedStage, path: str) -> str | None:
    return stage.deps[path].md5 if path in stage.deps else None
