"""`dvc.lock` as objects: what each stage read, was set to and wrote, in the pipeline's order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError
from crivo.experiments.reading import parse_lock
from crivo.experiments.records import LOCK
from crivo.experiments.settings import flat


@dataclass(frozen=True)
class File:
    """A file or folder as `dvc.lock` records it; a folder's hash ends in `.dir`."""

    path: str
    md5: str
    size: int | None = None


@dataclass(frozen=True)
class Stage:
    """What one stage read, was set to and wrote when it last ran; files by their path."""

    name: str
    command: str
    deps: Mapping[str, File]
    outs: Mapping[str, File]
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Lock:
    """The stages by name; one comes after those whose outputs it reads."""

    stages: Mapping[str, Stage]

    @property
    def outs(self) -> dict[str, File]:
        """Every output of every stage, by path."""
        return {path: out for stage in self.stages.values() for path, out in stage.outs.items()}

    @property
    def sources(self) -> dict[str, File]:
        """What the stages read and none of them made: code, raw data, the environment's lock."""
        deps = {path: dep for stage in self.stages.values() for path, dep in stage.deps.items()}
        return {path: dep for path, dep in deps.items() if self.maker(path) is None}

    def maker(self, path: str) -> Stage | None:
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


def covers(folder: str, path: str) -> bool:
    """Whether a path is the folder, or in it.

    >>> covers("data/raw", "data/raw/a.csv"), covers("data/raw", "data/rawer")
    (True, False)
    """
    return path == folder or path.startswith(f"{folder}/")


def read_lock(content: bytes | str) -> Lock:
    """Return what a `dvc.lock` says; CrivoError when it can't be read."""
    try:
        return lock_of(parse_lock(content))
    except ParseError as error:
        raise CrivoError(
            f"{LOCK} can't be read, it {error}; restore it with `git checkout {LOCK}`, or make "
            "it again with `dvc repro`."
        ) from None


def lock_of(stages: Mapping[str, Any]) -> Lock:
    """Return the lock whose stages are given; ParseError when they need each other."""
    found = {name: _stage(name, parts) for name, parts in stages.items()}
    needs = {name: _needs(stage, found.values()) for name, stage in found.items()}
    try:
        return Lock({name: found[name] for name in TopologicalSorter(needs).static_order()})
    except CycleError as error:
        raise ParseError(f"has stages that need each other: {', '.join(error.args[1])}") from None


def _stage(name: str, parts: Mapping[str, Any]) -> Stage:
    settings = [flat(values) for values in (parts.get("params") or {}).values()]
    return Stage(
        name,
        str(parts.get("cmd", "")),
        _files(parts.get("deps") or ()),
        _files(parts.get("outs") or ()),
        {key: value for values in settings for key, value in values.items()},
    )


def _files(parts: Iterable[Mapping[str, Any]]) -> dict[str, File]:
    return {one["path"]: File(one["path"], one["md5"], one.get("size")) for one in parts}


def _needs(stage: Stage, stages: Iterable[Stage]) -> list[str]:
    """Return the names of the stages whose outputs a stage reads."""
    return [
        other.name
        for other in stages
        if other.name != stage.name
        and any(covers(out, dep) or covers(dep, out) for out in other.outs for dep in stage.deps)
    ]
