"""Parses `dvc.lock`: what each stage read, was set to and wrote, in the pipeline's order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml, validated
from crivo.core.results import result

PIPELINE, LOCK = "dvc.yaml", "dvc.lock"


@result
class LockedFile:
    """A file or folder as `dvc.lock` records it."""

    path: str
    """Its path in the project."""
    md5: str
    """Its MD5 hash; the hash of a folder ends in .dir."""
    size: int | None = None
    """Its size in bytes."""


@dataclass(frozen=True)
class LockedStage:
    """What one stage read, was set to and wrote when it last ran; files by their path."""

    name: str
    command: str
    deps: Mapping[str, LockedFile]
    outs: Mapping[str, LockedFile]
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Lock:
    """The stages by name; one comes after those whose outputs it reads."""

    stages: Mapping[str, LockedStage]

    @property
    def outs(self) -> dict[str, LockedFile]:
        """Every output of every stage, by path."""
        return {path: out for stage in self.stages.values() for path, out in stage.outs.items()}

    @property
    def sources(self) -> dict[str, LockedFile]:
        """What the stages read and none of them made: code, raw data, the environment's lock."""
        deps = {path: dep for stage in self.stages.values() for path, dep in stage.deps.items()}
        return {path: dep for path, dep in deps.items() if self.maker(path) is None}

    def maker(self, path: str) -> LockedStage | None:
        """Return the stage that makes a file, or the folder that it is in."""
        for stage in self.stages.values():
            if any(covers(out, path) for out in stage.outs):
                return stage
        return None

    def up_to(self, name: str) -> Lock:
        """Return a stage and all those that it needs."""
        needed = {name}
        for stage in reversed([*self.stages.values()]):
            if stage.name in needed:
                needed.update(_needs(stage, self.stages.values()))
        return Lock({key: stage for key, stage in self.stages.items() if key in needed})


def read_lock(content: bytes | str) -> Lock:
    """Return what a `dvc.lock` says; CrivoError when it can't be read."""
    try:
        return lock_of(parse_lock(content))
    except ParseError as error:
        raise CrivoError(
            f"{LOCK} can't be read: it {error}; restore it with `git checkout {LOCK}`, or make it "
            "again with `dvc repro`."
        ) from None


def lock_of(stages: Mapping[str, Any]) -> Lock:
    """Return the lock whose stages are given; ParseError when they need each other."""
    locked_stages = {name: _stage(name, parts) for name, parts in stages.items()}
    dependencies = {
        name: _needs(stage, locked_stages.values()) for name, stage in locked_stages.items()
    }
    try:
        return Lock(
            {name: locked_stages[name] for name in TopologicalSorter(dependencies).static_order()}
        )
    except CycleError as error:
        raise ParseError(f"has stages that need each other: {', '.join(error.args[1])}") from None


def _stage(name: str, parts: Mapping[str, Any]) -> LockedStage:
    settings = [flat(values) for values in (parts.get("params") or {}).values()]
    return LockedStage(
        name,
        str(parts.get("cmd", "")),
        _files(parts.get("deps") or ()),
        _files(parts.get("outs") or ()),
        {key: value for values in settings for key, value in values.items()},
    )


def _files(parts: Iterable[Mapping[str, Any]]) -> dict[str, LockedFile]:
    return {one["path"]: LockedFile(one["path"], one["md5"], one.get("size")) for one in parts}


def _needs(stage: LockedStage, stages: Iterable[LockedStage]) -> list[str]:
    """Return the names of the stages whose outputs a stage reads."""
    return [
        other.name
        for other in stages
        if other.name != stage.name
        and any(covers(out, dep) or covers(dep, out) for out in other.outs for dep in stage.deps)
    ]


def flat(settings: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """Return nested settings as one level: `models.boosting.max_iter`.

    `within`: what stands before each name.

    >>> flat({"seed": 1, "models": {"prior": {}, "linear": {"C": 2.0}}})
    {'seed': 1, 'models.linear.C': 2.0}
    """
    found: dict[str, Any] = {}
    for name, item in settings.items():
        if isinstance(item, Mapping):
            found |= flat(item, f"{within}{name}.")
        else:
            found[f"{within}{name}"] = tuple(item) if isinstance(item, list) else item
    return found


def covers(folder: str, path: str) -> bool:
    """Return whether a path is a folder (or file) or lies in it.

    >>> covers("src/crivo/core", "src/crivo/core/schema.py"), covers("src/crivo", "src/crivo2")
    (True, False)
    """
    return path == folder or path.startswith(f"{folder}/") or folder == "."


# --- the file ---------------------------------------------------------------------------------


class Recorded(BaseModel):
    """Strict about what the code relies on; what else stands there is kept as it is."""

    model_config = ConfigDict(extra="allow", strict=True)


def _nothing_is(empty: Any) -> BeforeValidator:
    """Take a key without a value for what is empty."""
    return BeforeValidator(lambda value: empty if value is None else value)


class _FileEntry(Recorded):
    path: str
    # It becomes a path in DVC's cache, and must stay in there.
    md5: Annotated[str, Field(pattern=r"^([^./\\][^/\\]*)?$")] = ""
    size: Annotated[int, Field(ge=0)] | None = None


_FileEntries = Annotated[list[_FileEntry], _nothing_is([])]


class _StageEntry(Recorded):
    cmd: str | list[str] = ""
    deps: _FileEntries = []
    outs: _FileEntries = []
    params: Annotated[dict[str, dict[str, Any]], _nothing_is({})] = {}


class _LockContent(Recorded):
    stages: dict[str, _StageEntry]


def parse_lock(content: bytes | str) -> dict[str, dict[str, Any]]:
    """Return the stages of a `dvc.lock` by name, each with `cmd`, `deps`, `outs`, `params`."""
    lock = validated(_LockContent, parse_yaml(content))
    return {name: stage.model_dump() for name, stage in lock.stages.items()}
