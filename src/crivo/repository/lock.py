"""Parses `dvc.lock`: what each stage read, was set to and wrote, in the pipeline's order.

`resolve_lock` resolves a merge conflict in it, for `crivo resolve`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml, validated
from crivo.core.results import result
from crivo.preparation.rawdata import content_hash
from crivo.repository.git import Repository, open_repository

PIPELINE, LOCK = "dvc.yaml", "dvc.lock"
Entries = dict[str, dict[str, Any]]
# How git numbers the versions of a file in conflict: of both sides' start, ours, theirs.
SIDES = ("1", "2", "3")


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
        if isinstance(item, dict):  # much faster to ask than for a Mapping
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


# --- a merge conflict in it -------------------------------------------------------------------


@result
class Resolved:
    """How a conflict in `dvc.lock` was resolved."""

    kept: dict[str, str]
    """Where each stage's entry comes from: `both`, `ours` or `theirs`."""
    left_out: tuple[str, ...]
    """The stages that `dvc repro` must run."""
    open: tuple[str, ...]
    """The files in conflict that `dvc repro` writes again."""


def resolve_lock(folder: Path = Path()) -> Resolved:
    """Resolve the conflict in a project's `dvc.lock`, stage by stage.

    An entry that one side changed is kept. One that both sides changed, or whose metrics in git
    aren't those that it records, is dropped: `dvc repro` runs that stage, or finds its result in
    DVC's run cache. CrivoError: there is none, or another file has to be resolved first.
    """
    from dvc.utils.serialize import dumps_yaml

    from crivo.core.artifacts import write_text  # brings pandas, which completion does without

    repository = open_repository(folder)
    unmerged = _unmerged(repository)
    if LOCK not in unmerged:
        raise CrivoError(
            f"{LOCK} has no conflict, so there is nothing to do; `crivo resolve` works in the "
            "middle of a `git merge`, `git rebase` or `git pull` that stopped."
        )
    blobs = unmerged.pop(LOCK)
    base, ours, theirs = (_entries(repository, blobs.get(side)) for side in SIDES)
    outs = {path for side in (base, ours, theirs) for one in side.values() for path in _outs(one)}
    if others := sorted(unmerged.keys() - outs):
        raise CrivoError(
            f"Resolve these first, as they decide which results are right: {', '.join(others)}. "
            "Then `git add` them and run `crivo resolve` again."
        )
    tracked = {*repository.files()}
    entries, kept = Entries(), dict[str, str]()
    for name in dict.fromkeys((*ours, *theirs)):
        old, mine, other = (side.get(name) for side in (base, ours, theirs))
        sides = {"both": mine == other, "theirs": mine == old, "ours": other == old}
        side = next((side for side, holds in sides.items() if holds), None)
        entry = other if side == "theirs" else mine
        if side is None or not entry:  # both changed it, or one removed it
            continue
        metrics = [(path, md5) for path, md5 in _outs(entry).items() if path in tracked]
        if all(content_hash(repository.project / path) == md5 for path, md5 in metrics):
            entries[name], kept[name] = entry, side
    text = dumps_yaml({"schema": "2.0", "stages": entries})
    write_text(repository.project / LOCK, text)
    repository.git("add", "--", repository.prefix + LOCK)
    left_out = tuple(name for name in {**ours, **theirs} if name not in entries)
    return Resolved(kept, left_out, tuple(sorted(unmerged)))


def _unmerged(repository: Repository) -> dict[str, dict[str, str]]:
    """Return the project's files in conflict: of each, git's hash of each side's version."""
    found: dict[str, dict[str, str]] = {}
    for line in repository.files("--unmerged"):
        about, _, path = line.partition("\t")
        _, blob, side = about.split(" ")
        found.setdefault(path, {})[side] = blob
    return found


def _entries(repository: Repository, blob: str | None) -> Entries:
    if blob is None:
        return {}
    try:
        values = parse_yaml(repository.git("cat-file", "blob", blob))
        return dict(values.get("stages") or {})
    except (ParseError, AttributeError) as error:
        raise CrivoError(
            f"One side's {LOCK} can't be read ({error}); take the other side's."
        ) from None


def _outs(entry: dict[str, Any]) -> dict[str, str]:
    return {out["path"]: out.get("md5", "") for out in entry.get("outs") or ()}
