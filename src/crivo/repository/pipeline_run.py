"""Runs those stages of a checkout whose result isn't known, and says what `dvc.lock` says then."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from crivo.core.errors import CrivoError
from crivo.repository.cache_store import Content, content_of
from crivo.repository.checkout_files import CheckoutFiles
from crivo.repository.definitions import PIPELINE, Definition, Definitions, Unsupported
from crivo.repository.paths import covers
from crivo.repository.recorded_stages import RecordedStages
from crivo.repository.run_cache import Entry, RunCache
from crivo.repository.stage_process import Show, StageProcess


class StageFailed(CrivoError):
    """A stage ended with another status than 0, or without writing what it declares."""


class Tools(NamedTuple):
    """What a checkout offers to every run of the pipeline in it; `track` adds files to git."""

    files: CheckoutFiles
    recorded: RecordedStages
    runs: RunCache
    process: StageProcess
    track: Callable[[Sequence[str]], None]


class PipelineRun:
    """One run of the pipeline; `environment` is that of the stages."""

    def __init__(
        self, tools: Tools, definitions: Definitions, environment: Mapping[str, str], show: Show
    ) -> None:
        self.tools, self.definitions = tools, definitions
        self.environment, self.show = environment, show
        self._made: dict[str, Content] = dict(definitions.raw)

    def entries(self) -> dict[str, Entry]:
        """Run what isn't known, and return the entry of each stage; StageFailed."""
        entries = {}
        for stage in self.definitions.stages:
            inputs = self._inputs(stage)
            entry = self._recorded(stage, inputs)
            if entry is None:
                # Of trials that run at once, one makes what they share.
                with self.tools.runs.alone(inputs):
                    entry = self._found(stage, inputs) or self._run(stage, inputs)
            entries[stage.name] = entry
            self._made |= {one["path"]: content_of(one) for one in entry["outs"]}
        return entries

    def _recorded(self, stage: Definition, inputs: Entry) -> Entry | None:
        entry = self.tools.recorded.unchanged(stage.name, inputs)
        outs = {one["path"]: one["md5"] for one in (entry or {}).get("outs") or ()}
        if entry is None or not outs.keys() >= stage.outs.keys():
            return None
        has = self.tools.files.has
        if not all(has(path, outs[path], cached=cached) for path, cached in stage.outs.items()):
            return None
        self.show(f"Stage '{stage.name}' didn't change, skipping\n")
        return entry

    def _found(self, stage: Definition, inputs: Entry) -> Entry | None:
        for one in self.tools.runs.found(inputs):
            outs = {out["path"]: content_of(out) for out in one["outs"]}
            if all(self.tools.files.store.has(content.md5) for content in outs.values()):
                self.show(f"Stage '{stage.name}' is cached - skipping run\n")
                # Git records these; the others are brought if a stage needs them.
                self.tools.files.bring({path: outs[path] for path in stage.uncached})
                self.tools.track(stage.uncached)
                return inputs | {"outs": one["outs"]}
        return None

    def _run(self, stage: Definition, inputs: Entry) -> Entry:
        self._prepare(stage)
        self.show(f"Running stage '{stage.name}':\n")
        environment = {**self.environment, "DVC_STAGE": stage.name}
        for command in stage.commands:
            self.show(f"> {command}\n")
            if status := self.tools.process.run(command, environment, self.show):
                raise StageFailed(f"the stage {stage.name} {_how_it_ended(status)}")
        files = self.tools.files
        missing = [path for path in stage.outs if not (files.root / path).exists()]
        if missing:
            raise StageFailed(
                f"the stage {stage.name} ended without writing {', '.join(missing)}, which "
                f"{PIPELINE} names among its outputs"
            )
        entry = inputs | {"outs": [files.keep(path).entry(path) for path in stage.outs]}
        self.tools.runs.keep(entry)
        # A result that HEAD hasn't yet is recorded too: git updates only what it tracks.
        self.tools.track(stage.uncached)
        return entry

    def _prepare(self, stage: Definition) -> None:
        """Let what a stage builds on be there, and nothing that is built on it."""
        files = self.tools.files
        for path in stage.outs:
            files.take_away(path)
        for other in self.definitions.after(stage):
            for path, cached in other.outs.items():
                if cached:
                    files.take_away(path)
        earlier = {path for one in self.definitions.needed(stage) for path in one.outs}
        raw = {
            path
            for path in self.definitions.raw
            if any(covers(path, dep) or covers(dep, path) for dep in stage.deps)
        }
        files.bring({path: self._made[path] for path in earlier | raw})

    def _inputs(self, stage: Definition) -> Entry:
        """Return what `dvc.lock` says of a stage, with its outputs' paths only."""
        deps = [self._dependency(dep).entry(dep) for dep in stage.deps]
        entry: Entry = {"cmd": stage.command, "deps": deps}
        if stage.params:
            entry["params"] = {file: dict(values) for file, values in stage.params.items()}
        return entry | {"outs": [{"path": path} for path in stage.outs]}

    def _dependency(self, path: str) -> Content:
        folder = next((made for made in self._made if covers(made, path)), None)
        if folder is None:
            return self.tools.files.read(path)
        if folder == path:
            return self._made[path]
        # A file in a folder that a stage made, or in raw data.
        store, cache = self.tools.files.store, self.tools.files.store.cache
        store.bring(self._made[folder].md5)
        listing = cache.listing(self._made[folder].md5) or {}
        md5 = listing.get(path.removeprefix(f"{folder}/"))
        if md5 is None:
            raise Unsupported(f"a dependency on {path}, inside of {folder}, is left to DVC.")
        store.bring(md5)
        return Content(md5, cache.place(md5).stat().st_size)


def _how_it_ended(status: int) -> str:
    """Return what became of a command, by its exit status as a shell gives it.

    >>> _how_it_ended(1), _how_it_ended(137)
    ('failed', 'was ended by the signal SIGKILL, as the system does when memory runs out')
    """
    try:
        name = signal.Signals(-status if status < 0 else status - 128).name
    except ValueError:
        return "failed"
    why = ", as the system does when memory runs out" if name == "SIGKILL" else ""
    return f"was ended by the signal {name}{why}"
