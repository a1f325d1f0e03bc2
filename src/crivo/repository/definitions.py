"""What the stages of a checkout are, for these settings: DVC resolves `dvc.yaml`, we run it.

A pipeline that uses what only DVC does is `Unsupported`, and DVC itself runs it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE
from crivo.repository.cache_store import Content
from crivo.repository.paths import covers

PIPELINE = "dvc.yaml"
# What DVC fills in from the settings: `${model}`.
TEMPLATE = re.compile(r"\$\{([^}]*)\}")
# A setting that is found by its names alone.
PLAIN_KEY = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)


class Unsupported(CrivoError):
    """The pipeline uses something that only DVC itself does."""


@dataclass(frozen=True)
class Definition:
    """A stage. Paths are the project's; `params` has the values of each file of settings.

    `outs` says of each output whether DVC caches it.
    """

    name: str
    command: str | list[str]
    deps: tuple[str, ...]
    params: Mapping[str, Mapping[str, Any]]
    outs: Mapping[str, bool]

    @property
    def commands(self) -> list[str]:
        """Its commands, one after the other."""
        return self.command.splitlines() if isinstance(self.command, str) else self.command

    @property
    def uncached(self) -> list[str]:
        """The outputs that git tracks."""
        return [path for path, cached in self.outs.items() if not cached]


# A stage without its settings' values, and DVC's objects that have these.
Stage = tuple[Definition, Sequence[Any]]


@dataclass(frozen=True)
class Definitions:
    """The stages, each after those whose outputs it reads, and raw data by path."""

    stages: tuple[Definition, ...]
    raw: Mapping[str, Content]

    @property
    def cached(self) -> set[str]:
        """The outputs that DVC caches."""
        return {path for stage in self.stages for path, cached in stage.outs.items() if cached}

    @property
    def uncached(self) -> set[str]:
        """The outputs that git tracks."""
        return {path for stage in self.stages for path in stage.uncached}

    def needed(self, stage: Definition) -> list[Definition]:
        """Return the stages whose outputs a stage reads, directly or not."""
        wanted, found = [*stage.deps], []
        for other in reversed(self.stages):
            if other is not stage and any(_touch(dep, out) for dep in wanted for out in other.outs):
                found.append(other)
                wanted += other.deps
        return found

    def after(self, stage: Definition) -> list[Definition]:
        """Return the stages that read outputs of a stage, directly or not."""
        return [other for other in self.stages if stage in self.needed(other)]


class Pipeline:
    """The pipeline of a checkout in which nothing but settings changes from trial to trial."""

    def __init__(self, repo: Any, root: Path, dvc_files: Sequence[str]) -> None:
        self.repo, self.root, self.dvc_files = repo, root, dvc_files
        self._raw: dict[str, Content] | None = None
        # By the settings that `dvc.yaml` names: DVC makes other stages of others only.
        self._known: dict[str, list[Stage]] = {}

    def definitions(self) -> Definitions:
        """Return what DVC says that the stages are, with the settings as they are now.

        Unsupported: only DVC can run them. CrivoError: DVC can't read them.
        """
        from dvc.exceptions import DvcException

        try:
            settings: dict[str, Any] = {}
            named = self._named(settings)
            known = self._known.get(named or "")
            stages = known or self._stages(lock_read=self._raw is not None)
            found = [replace(one, params=_values(params, settings)) for one, params in stages]
            if self._raw is None:
                self._raw = self._read_raw()
        except (DvcException, TypeError, ValueError, OSError) as error:
            words = " ".join(str(error.__cause__ or error).split())
            raise CrivoError(f"DVC can't read the stages: {words.rstrip('.')}.") from None
        if known is None:
            for stage in found:
                _require_known_deps(
                    stage, [*(out for one in found for out in one.outs), *self._raw]
                )
        if named is not None:
            self._known[named] = stages
        return Definitions(tuple(_sorted(found)), self._raw)

    def _named(self, settings: dict[str, Any]) -> str | None:
        """Return the settings that `dvc.yaml` names as a text; None if some aren't settings."""
        try:
            text = (self.root / PIPELINE).read_text(encoding="utf-8")
            keys = sorted({key.strip() for key in TEMPLATE.findall(text)})
            values = _parsed(str(self.root / PARAMS_FILE), self.repo.fs, settings)
            return json.dumps([[key, _value(values, key)] for key in keys])
        except Exception:  # DVC finds them elsewhere, or says what is wrong
            return None

    def _stages(self, *, lock_read: bool) -> list[Stage]:
        """Return the stages, and their dependencies on settings, as DVC reads them.

        `lock_read`: DVC has read this `dvc.lock` before, which says nothing of what stages are.
        """
        from dvc.dvcfile import load_file

        pipeline = load_file(self.repo, str(self.root / PIPELINE))
        if lock_read:
            pipeline.lockfile_contents = {}
        return [_definition(one) for one in pipeline.stages.values()]

    def _read_raw(self) -> dict[str, Content]:
        from dvc.dvcfile import load_file

        raw: dict[str, Content] = {}
        for name in self.dvc_files:
            folder = PurePosixPath(name).parent
            for one in load_file(self.repo, str(self.root / name)).stages.values():
                raw.update(_raw(one, folder))
        return raw


def _require(simple: bool, what: str) -> None:
    if not simple:
        raise Unsupported(f"{what} is left to DVC.")


def _definition(stage: Any) -> Stage:
    from dvc.stage.utils import split_params_deps

    where = f"the stage {stage.name}"
    _require(bool(stage.cmd and stage.deps and stage.outs), f"{where} without dependencies")
    _require(not (stage.frozen or stage.always_changed), f"{where}, frozen or always changed")
    _require(Path(stage.wdir).samefile(stage.repo.root_dir), f"{where} in a folder of its own")
    params, deps = split_params_deps(stage)
    for item in (*deps, *stage.outs):
        inside = item.protocol == "local" and item.is_in_repo
        _require(inside and ".." not in item.def_path, f"{where} with {item.def_path}")
    _require(not any(out.persist for out in stage.outs), f"{where} with a persistent output")
    definition = Definition(
        name=stage.name,
        command=stage.cmd,
        deps=tuple(sorted(dep.def_path for dep in deps)),
        params={},
        outs={out.def_path: bool(out.use_cache) for out in sorted(stage.outs, key=_path)},
    )
    return definition, params


def _values(params: Sequence[Any], settings: dict[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return the values of a stage's settings now, as `dvc.lock` has them."""
    from dvc.stage.serialize import _serialize_params_values

    for one in params:
        _read_settings(one, settings)
    found: dict[str, Mapping[str, Any]] = _serialize_params_values(params)
    return found


def _read_settings(dependency: Any, settings: dict[str, Any]) -> None:
    """Let a stage's settings have their values, as DVC does, which parses the file for each."""
    try:
        values = _parsed(dependency.fs_path, dependency.repo.fs, settings)
        # Copies: of what two stages share, YAML would have a reference.
        found = {key: deepcopy(_value(values, key)) for key in dependency.params}
    except Exception:  # DVC says what is wrong
        found = {}
    if found:
        dependency.hash_info = type(dependency.hash_info)(dependency.PARAM_PARAMS, found)
    else:
        dependency.save()


def _value(values: Any, key: str) -> Any:
    """Return the value of a setting as DVC finds it, whose own way takes most of the time."""
    found = values
    for name in key.split(".") if PLAIN_KEY.fullmatch(key) else ():
        if type(found) is not dict or name not in found:
            break
        found = found[name]
    else:
        if found is not values:
            return found
    from dpath import get

    return get(values, key, separator=".")


def _parsed(path: str, fs: Any, settings: dict[str, Any]) -> Any:
    from dvc.utils.serialize import load_path

    if path not in settings:
        settings[path] = load_path(path, fs)
    return settings[path]


def _path(item: Any) -> str:
    return str(item.def_path)


def _raw(stage: Any, folder: PurePosixPath) -> Iterator[tuple[str, Content]]:
    _require(not stage.deps and not stage.frozen, f"imported data ({stage.relpath})")
    for out in stage.outs:
        _require(out.protocol == "local" and out.hash_name == "md5", f"{out} ({stage.relpath})")
        content = Content(str(out.hash_info.value or ""), out.meta.size, out.meta.nfiles)
        yield (folder / out.def_path).as_posix(), content


def _require_known_deps(stage: Definition, made: Sequence[str]) -> None:
    for dep in stage.deps:
        mixed = any(dep != path and covers(dep, path) for path in made)
        _require(not mixed, f"the stage {stage.name} with a folder of several outputs ({dep})")


def _touch(one: str, other: str) -> bool:
    return covers(one, other) or covers(other, one)


def _sorted(stages: Sequence[Definition]) -> list[Definition]:
    graph = {
        stage.name: [
            other.name
            for other in stages
            if other is not stage
            and any(_touch(dep, out) for dep in stage.deps for out in other.outs)
        ]
        for stage in stages
    }
    by_name = {stage.name: stage for stage in stages}
    try:
        return [by_name[name] for name in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        raise CrivoError(
            f"The stages depend on each other in a circle: {', '.join(error.args[1])}; "
            f"correct {PIPELINE}."
        ) from None
