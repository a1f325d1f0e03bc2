"""Runs the stages of a checkout for changed settings, and records what comes out.

What is recorded is what `dvc exp run` would have recorded, byte by byte: DVC resolves the stages
and the settings, and this does the rest without its locks, stashes and indexes. One checkout
serves many trials, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE
from crivo.repository.cache import DIR, Cache
from crivo.repository.cache_store import Content, Store, content_of, remove, write_whole
from crivo.repository.commits import EXPERIMENTS, NO_MESSAGE
from crivo.repository.definitions import (
    PIPELINE,
    Definition,
    Definitions,
    Unsupported,
    read_definitions,
)
from crivo.repository.dvc_project import open_dvc
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK
from crivo.repository.overrides import apply_changes
from crivo.repository.paths import covers
from crivo.repository.run_cache import Entry, RunCache
from crivo.repository.stage_process import Show, StageProcess
from crivo.repository.worktree import WorkTree

# Several threads may run trials; DVC's own functions aren't made for that.
DVC = Lock()


class StageFailed(CrivoError):
    """A stage ended with another status than 0, or without writing what it declares."""


class TrialRun:
    """A checkout of the project, made for this alone, in which trials are run.

    Unsupported: DVC itself has to run the pipeline.
    """

    def __init__(
        self, checkout: Repository, environment: Mapping[str, str | None] | None = None
    ) -> None:
        self.checkout, self.root = checkout, checkout.project
        self.base = checkout.commit("HEAD") or ""
        self.start = checkout.git("write-tree").strip()
        with DVC:
            self._repo = open_dvc(self.root)
            _require_plain(self._repo, checkout)
        local = self._repo.cache.local
        self.store = Store(
            Cache(self.root), self._files_in, int(getattr(local, "_dir_mode", 0o777))
        )
        self._runs = RunCache(Path(local.path).parents[1])
        self._process = StageProcess(self.root, environment)
        self._params = (self.root / PARAMS_FILE).read_bytes()
        self._lock = _Lock(self.root / LOCK)
        self._read: dict[str, Content] = {}
        self._there: dict[str, str] = {}
        self._ignored: set[str] = set()
        self._folders: set[str] = set()  # what git ignores only if it is a folder
        self._changed = False

    def close(self) -> None:
        """End what still runs."""
        self._process.close()
        self._repo.close()

    def run(self, changes: Sequence[str], name: str, message: str, show: Show) -> str:
        """Run a trial, record it in the checkout, and return its reference.

        StageFailed: a stage failed; nothing is recorded.
        """
        self._reset()
        with DVC:
            apply_changes(self.root / PARAMS_FILE, changes)
            definitions = self._definitions()
        trial = _Trial(self, definitions, {"DVC_EXP_BASELINE_REV": self.base, "DVC_EXP_NAME": name})
        entries = trial.run(show)
        with DVC:
            self._lock.write(entries)
        uncached = [
            out for one in definitions.stages for out, cached in one.outs.items() if not cached
        ]
        return self._record(uncached, name, message or NO_MESSAGE + _digest(entries))

    def _definitions(self) -> Definitions:
        listed = self.checkout.git("ls-files", "-z", "--", f"{self.checkout.prefix}*.dvc")
        prefix = self.checkout.prefix
        dvc_files = [name.removeprefix(prefix) for name in listed.split("\0") if name]
        found = read_definitions(self._repo, self.root, dvc_files)
        self._require_ignored(found)
        self._require_recorded(found.raw)
        return found

    def _require_recorded(self, raw: Mapping[str, Content]) -> None:
        """Leave to DVC raw data that came along and that it has to record."""
        for path in raw.keys() - self._there.keys():
            if not (self.root / path).exists():
                continue
            if self.store.content(self.root / path).md5 != raw[path].md5:
                raise Unsupported(f"changed raw data ({path}) are left to DVC.")
            self._there[path] = raw[path].md5

    def _require_ignored(self, definitions: Definitions) -> None:
        """Leave to DVC what it would have to write into a `.gitignore`."""
        cached = {
            out for one in definitions.stages for out, kept in one.outs.items() if kept
        } - self._ignored
        if not cached:
            return
        # With a slash it is judged as a folder, which it may become.
        paths = [f"{out}{end}" for out in cached for end in ("", "/")]
        said = WorkTree(self.root).ignored_by(paths)
        ignored = {path.rstrip("/") for path in said}
        self._folders |= ignored - said.keys()
        if not cached <= ignored:
            raise Unsupported("an output that git doesn't ignore yet is left to DVC.")
        self._ignored |= cached

    def _reset(self) -> None:
        """Take back what the last trial changed of git's files."""
        if self._changed:
            self.checkout.git("read-tree", "--reset", "-u", self.start)
            self.checkout.git("clean", "--quiet", "-d", "--force", "--force")
        self._changed = True

    def _record(self, uncached: Sequence[str], name: str, message: str) -> str:
        git, prefix = self.checkout.git, self.checkout.prefix
        git("add", "--update", "--", ":/")
        git("add", "--", *(f"{prefix}{path}" for path in (LOCK, *uncached)))
        tree = git("write-tree").strip()
        commit = git("commit-tree", tree, "-p", self.base, "-m", message).strip()
        ref = f"{EXPERIMENTS}/{self.base[:2]}/{self.base[2:]}/{name}"
        git("update-ref", ref, commit)
        return ref

    def _files_in(self, folder: Path) -> Iterator[Path]:
        return map(Path, self._repo.dvcignore.find(self._repo.fs, str(folder)))

    # --- the files of the checkout ------------------------------------------------------------

    def read(self, path: str) -> Content:
        """Return the hash of a file of git's, or a folder of such files, which no trial changes."""
        if path not in self._read:
            place = self.root / path
            if not place.exists():
                raise CrivoError(
                    f"{path} is not there, and a stage depends on it; bring it, or take it out of "
                    f"{PIPELINE}."
                )
            self._read[path] = self.store.content(place)
        return self._read[path]

    def bring(self, path: str, md5: str) -> None:
        """Let a file or folder from the cache be there."""
        place = self.root / path
        if self._there.get(path) == md5:
            return
        if path not in self._there and place.exists() and self.store.content(place).md5 == md5:
            self._there[path] = md5
            return
        self.take_away(path)
        self.store.fetch(md5, place)
        self._there[path] = md5

    def take_away(self, path: str) -> None:
        """Let a file or folder not be there."""
        self._there.pop(path, None)
        remove(self.root / path)

    def keep(self, path: str) -> Content:
        """Put what a stage has written into the cache."""
        place = self.root / path
        if path in self._folders and not place.is_dir():
            raise Unsupported(f"git ignores {path} as a folder, and DVC has to say otherwise.")
        content = self.store.content(place, keep=True)
        self._there[path] = content.md5
        return content

    def has(self, path: str, md5: str, *, cached: bool) -> bool:
        """Whether an output can be had: from the cache, or as a file that git tracks."""
        if cached:
            return self.store.has(md5)
        return (self.root / path).exists() and self.read(path).md5 == md5


class _Trial:
    """One run of the pipeline in a checkout."""

    def __init__(
        self, place: TrialRun, definitions: Definitions, environment: Mapping[str, str]
    ) -> None:
        self.place, self.definitions, self.environment = place, definitions, environment
        self.outs: dict[str, Content] = {}

    def run(self, show: Show) -> dict[str, Entry]:
        """Run what isn't known, and return what `dvc.lock` says of each stage."""
        entries = {}
        for stage in self.definitions.stages:
            entry = self._known(stage, show)
            if entry is None:
                entry = self._run(stage, show)
            entries[stage.name] = entry
            self.outs.update({one["path"]: content_of(one) for one in entry["outs"]})
        return entries

    def _known(self, stage: Definition, show: Show) -> Entry | None:
        inputs = self._inputs(stage)
        recorded = self.place._lock.stages.get(stage.name)
        if recorded and _unchanged(inputs, recorded) and self._can_be_had(stage, recorded):
            show(f"Stage '{stage.name}' didn't change, skipping\n")
            return recorded
        for one in self.place._runs.found(inputs):
            if all(self.place.store.has(out["md5"]) for out in one["outs"]):
                show(f"Stage '{stage.name}' is cached - skipping run\n")
                for out in one["outs"]:
                    if not stage.outs[out["path"]]:
                        self.place.bring(out["path"], out["md5"])
                return inputs | {"outs": one["outs"]}
        return None

    def _can_be_had(self, stage: Definition, recorded: Entry) -> bool:
        outs = {one["path"]: one["md5"] for one in recorded.get("outs") or ()}
        return outs.keys() >= stage.outs.keys() and all(
            self.place.has(path, outs[path], cached=cached) for path, cached in stage.outs.items()
        )

    def _run(self, stage: Definition, show: Show) -> Entry:
        place = self.place
        inputs = self._inputs(stage)
        for other in (stage, *self.definitions.after(stage)):
            for path, cached in other.outs.items():
                if cached or other is stage:
                    place.take_away(path)
        for other in self.definitions.needed(stage):
            for path in other.outs:
                place.bring(path, self.outs[path].md5)
        for path, content in self.definitions.raw.items():
            if any(covers(path, dep) for dep in stage.deps):
                place.bring(path, content.md5)
        show(f"Running stage '{stage.name}':\n")
        environment = {**self.environment, "DVC_STAGE": stage.name}
        for command in stage.commands:
            show(f"> {command}\n")
            if place._process.run(command, environment, show):
                raise StageFailed(f"the stage {stage.name} failed")
        missing = [path for path in stage.outs if not (place.root / path).exists()]
        if missing:
            raise StageFailed(
                f"the stage {stage.name} ended without writing {', '.join(missing)}, which "
                f"{PIPELINE} names among its outputs"
            )
        entry = inputs | {"outs": [place.keep(path).entry(path) for path in stage.outs]}
        place._runs.keep(entry)
        return entry

    def _inputs(self, stage: Definition) -> Entry:
        """Return what `dvc.lock` says of a stage, with its outputs' paths only."""
        deps = [self._dependency(dep).entry(dep) for dep in stage.deps]
        entry: Entry = {"cmd": stage.command, "deps": deps}
        if stage.params:
            entry["params"] = {file: dict(values) for file, values in stage.params.items()}
        return entry | {"outs": [{"path": path} for path in stage.outs]}

    def _dependency(self, path: str) -> Content:
        made = {**self.definitions.raw, **self.outs}
        if path in made:
            return made[path]
        folder = next((one for one in made if covers(one, path)), None)
        return self._inside(folder, made[folder], path) if folder else self.place.read(path)

    def _inside(self, folder: str, content: Content, path: str) -> Content:
        """Return the hash of what lies in a folder that a stage made, or in raw data."""
        listing = self.place.store.cache.listing(content.md5) or {}
        md5 = listing.get(path.removeprefix(f"{folder}/"))
        if md5 is None or content.md5 == DIR:
            raise Unsupported(f"a dependency on {path}, a folder inside of {folder}, is DVC's.")
        return Content(md5, self.place.store.cache.place(md5).stat().st_size)


class _Lock:
    """The `dvc.lock` that trials start from."""

    def __init__(self, place: Path) -> None:
        from dvc.utils.serialize import dumps_yaml, load_yaml

        self.place = place
        self.values: dict[str, Any] = {"schema": "2.0", "stages": {}}
        plain = True
        if place.exists():
            with suppress(AttributeError):
                self.values = dict(load_yaml(str(place)))
                plain = dumps_yaml(self.values) == place.read_text(encoding="utf-8")
        self._plain = plain
        self.stages: Mapping[str, Any] = self.values.get("stages") or {}
        files = [
            one
            for stage in self.stages.values()
            for one in (*(stage.get("deps") or ()), *(stage.get("outs") or ()))
        ]
        if any(one.get("hash") != "md5" for one in files):
            raise Unsupported("what DVC 2 recorded is left to DVC.")

    def write(self, entries: Mapping[str, Entry]) -> None:
        """Write the entries of stages in place of those recorded, as DVC writes them."""
        from dvc.utils.serialize import dumps_yaml, modify_yaml

        if all(self.stages.get(name) is entry for name, entry in entries.items()):
            return
        if self._plain:
            text = dumps_yaml({**self.values, "stages": {**self.stages, **entries}})
            write_whole(self.place, lambda beside: beside.write_text(text, encoding="utf-8"))
            return
        with modify_yaml(str(self.place)) as values:
            values["stages"] = values.get("stages") or {}
            values["stages"].update(entries)


def _unchanged(inputs: Entry, recorded: Entry) -> bool:
    """Whether a stage would read and be set to what the lock says."""
    deps = {one["path"]: one.get("md5") for one in recorded.get("deps") or ()}
    return (
        inputs["cmd"] == recorded.get("cmd")
        and all(deps.get(one["path"]) == one["md5"] for one in inputs["deps"])
        and all(
            _has_all((recorded.get("params") or {}).get(file), values)
            for file, values in inputs.get("params", {}).items()
        )
    )


def _has_all(recorded: Any, values: Mapping[str, Any]) -> bool:
    known = recorded or {}
    return all(key in known and known[key] == value for key, value in values.items())


def _digest(entries: Mapping[str, Entry]) -> str:
    from dvc.utils import dict_sha256

    return str(dict_sha256(dict(entries)))


def _require_plain(repo: Any, checkout: Repository) -> None:
    """Leave to DVC what it does by configuration, and a pipeline in several files."""
    config = repo.config
    automatic = config.get("exp", {}).get("auto_push") or config["core"].get("autostage")
    pattern = f":(glob){checkout.prefix}**/{PIPELINE}"
    files = checkout.lines("ls-files", "--", pattern)
    if automatic or len(files) != 1:
        raise Unsupported("a pipeline in several files, or pushed by itself, is left to DVC.")
