"""Solves a conflict of git's in `dvc.lock`: of each stage the entry that is right for the merge.

An entry that one side changed is kept. Of one that both changed, that is kept whose inputs are the
merged ones, or what DVC's run cache knows of them; without either the stage is left to `dvc repro`.
The metrics that git tracks follow their stage.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.repository.cache import Cache
from crivo.repository.cache_store import write_whole
from crivo.repository.checkout_files import CheckoutFiles
from crivo.repository.definitions import Definition, Definitions, Pipeline, Unsupported
from crivo.repository.dvc_project import open_dvc
from crivo.repository.git import Repository, open_repository
from crivo.repository.lock import LOCK
from crivo.repository.recorded_stages import same_inputs
from crivo.repository.run_cache import Entry, RunCache

# How git numbers the versions of a file in conflict.
BASE, OURS, THEIRS = "1", "2", "3"
SIDES = {OURS: "ours", THEIRS: "theirs"}


@dataclass(frozen=True)
class Merged:
    """What became of a conflict: whose entry each stage has, and what `dvc repro` has to make.

    `kept`: stage to `both`, `ours`, `theirs` or `run cache`; `left_out`: stages without an entry;
    `files`: metrics that were brought; `open`: metrics in conflict that `dvc repro` writes.
    """

    kept: Mapping[str, str]
    left_out: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


@dataclass
class _Stages:
    """The merged entries by stage, whose they are, and the entries of stages that both changed."""

    entries: dict[str, Entry] = field(default_factory=dict)
    whose: dict[str, str] = field(default_factory=dict)
    contested: dict[str, dict[str, Entry]] = field(default_factory=dict)


def merge_lock(folder: Path = Path()) -> Merged:
    """Solve the conflict in a project's `dvc.lock`; CrivoError when something has to come first."""
    repository = open_repository(folder)
    unmerged = _unmerged(repository)
    if LOCK not in unmerged:
        raise CrivoError(
            f"{LOCK} is in no conflict, so there is nothing to do; `crivo merge` serves in the "
            "middle of a `git merge`, `git rebase` or `git pull` that stopped."
        )
    locks = {side: _stages_of(repository, blob) for side, blob in unmerged[LOCK].items()}
    outs = {out["path"] for stages in locks.values() for out in _outs(stages.values())}
    others = sorted(unmerged.keys() - outs - {LOCK})
    if others:
        raise CrivoError(
            f"Solve these first, as they decide which results are right: {', '.join(others)}. Then "
            "`git add` them and run `crivo merge` again."
        )
    stages = _one_sided(locks.get(BASE, {}), locks.get(OURS, {}), locks.get(THEIRS, {}))
    place = repository.project / LOCK
    _write(place, stages.entries)  # DVC reads it to say what the stages are
    with open_dvc(repository.project, wait=True) as repo, repo.lock:
        _decide(repository, repo, stages)
        files = _bring_metrics(repository, repo, stages, unmerged)
    _write(place, stages.entries)
    left = tuple(name for name in stages.contested if name not in stages.entries)
    solved = [path for path in unmerged if path in files]
    repository.git("add", "--", *(repository.prefix + path for path in (LOCK, *solved)))
    remaining = sorted(unmerged.keys() - {LOCK, *solved})
    return Merged(dict(stages.whose), left, tuple(files), tuple(remaining))


def _unmerged(repository: Repository) -> dict[str, dict[str, str]]:
    """Return the project's files in conflict: of each, git's hash of each side's version."""
    listed = repository.git("ls-files", "--unmerged", "--full-name", "-z").split("\0")
    found: dict[str, dict[str, str]] = {}
    for line in filter(None, listed):
        about, _, path = line.partition("\t")
        _, blob, side = about.split(" ")
        found.setdefault(path.removeprefix(repository.prefix), {})[side] = blob
    return found


def _stages_of(repository: Repository, blob: str) -> dict[str, Entry]:
    from dvc.exceptions import DvcException
    from dvc.utils.serialize import parse_yaml

    text = repository.git("cat-file", "blob", blob)
    try:
        return dict(parse_yaml(text, LOCK).get("stages") or {})
    except (DvcException, AttributeError) as error:
        raise CrivoError(
            f"A side's {LOCK} can't be read ({error}); take the other side's."
        ) from None


def _outs(entries: Iterable[Entry]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        yield from entry.get("outs") or ()


def _one_sided(
    base: Mapping[str, Entry], ours: Mapping[str, Entry], theirs: Mapping[str, Entry]
) -> _Stages:
    """Merge what at most one side changed."""
    stages = _Stages()
    for name in dict.fromkeys((*ours, *theirs)):
        old, one, other = (side.get(name) for side in (base, ours, theirs))
        if one == other:
            kept, whose = one, "both"
        elif one == old:
            kept, whose = other, "theirs"
        elif other == old:
            kept, whose = one, "ours"
        else:
            sides = {"ours": one, "theirs": other}
            stages.contested[name] = {side: entry for side, entry in sides.items() if entry}
            continue
        if kept is not None:
            stages.entries[name], stages.whose[name] = kept, whose
    return stages


def _decide(repository: Repository, repo: Any, stages: _Stages) -> None:
    """Give the stages that both sides changed an entry, where one is right."""
    if not stages.contested:
        return
    root = repository.project
    listed = repository.git("ls-files", "-z", "--", f"{repository.prefix}*.dvc").split("\0")
    dvc_files = sorted({path.removeprefix(repository.prefix) for path in listed if path})
    try:
        definitions = Pipeline(repo, root, dvc_files).definitions()
    except Unsupported:
        return  # all of them are left to DVC
    files = CheckoutFiles(root, repo)
    runs = RunCache(Path(repo.stage_cache.cache_dir))
    for stage in definitions.stages:
        sides = stages.contested.get(stage.name)
        inputs = _inputs(stage, definitions, stages, files) if sides else None
        if sides is None or inputs is None:
            continue
        right = {side: entry for side, entry in sides.items() if same_inputs(inputs, entry)}
        known = next(runs.found(inputs), None)
        if not right and known is not None:
            right = {"run cache": inputs | {"outs": known["outs"]}}
        for side, entry in right.items():
            stages.entries[stage.name], stages.whose[stage.name] = entry, side
            break


def _inputs(
    stage: Definition, definitions: Definitions, stages: _Stages, files: CheckoutFiles
) -> Entry | None:
    """Return what a stage reads after the merge; None where a stage before it has no entry."""
    made = {path for one in definitions.stages for path in one.outs}
    known = {out["path"]: out for out in _outs(stages.entries.values())}
    deps = []
    for path in stage.deps:
        if path in definitions.raw:
            deps.append(definitions.raw[path].entry(path))
        elif path in made:
            if path not in known:
                return None
            deps.append(dict(known[path]))
        else:
            try:
                deps.append(files.read(path).entry(path))
            except CrivoError:
                return None
    entry: Entry = {"cmd": stage.command, "deps": deps}
    if stage.params:
        entry["params"] = {file: dict(values) for file, values in stage.params.items()}
    return entry | {"outs": [{"path": path} for path in stage.outs]}


def _bring_metrics(
    repository: Repository, repo: Any, stages: _Stages, unmerged: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Let the files that git tracks be those of their stages; return those that are in order.

    A stage whose file neither side, nor the cache, has any more loses its entry.
    """
    tracked = set(repository.git("ls-files", "-z").split("\0"))
    in_order = []
    for name, entry in list(stages.entries.items()):
        own = [out for out in entry.get("outs") or () if repository.prefix + out["path"] in tracked]
        contents = [_content(repository, out, unmerged.get(out["path"], {})) for out in own]
        if any(content is None for content in contents):
            del stages.entries[name], stages.whose[name]
            stages.contested.setdefault(name, {})
            continue
        for out, content in zip(own, contents, strict=True):
            _put(repository.project / out["path"], content or b"")
            in_order.append(out["path"])
    return in_order


def _content(
    repository: Repository, out: Mapping[str, Any], versions: Mapping[str, str]
) -> bytes | None:
    """Return the content of a tracked output by its hash: from the workspace, a side, the cache."""
    place, md5 = repository.project / out["path"], str(out.get("md5"))
    path = repository.prefix + out["path"]
    names = [*versions.values(), *(f"{side}:{path}" for side in _heads(repository))]
    found = [blob.content for blob in repository.objects(names) if blob]
    for stored in (place, Cache(repository.project).place(md5)):
        with suppress(OSError):
            found.append(stored.read_bytes())
    return next((one for one in found if _md5(one) == md5), None)


def _heads(repository: Repository) -> list[str]:
    names = ("HEAD", "MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD")
    return [name for name in names if repository.commit(name)]


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _put(place: Path, content: bytes) -> None:
    if not place.is_file() or place.read_bytes() != content:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, lambda beside: beside.write_bytes(content))


def _write(place: Path, entries: Mapping[str, Entry]) -> None:
    from dvc.utils.serialize import dumps_yaml

    text = dumps_yaml({"schema": "2.0", "stages": dict(entries)})
    write_whole(place, lambda beside: beside.write_text(text, encoding="utf-8"))
