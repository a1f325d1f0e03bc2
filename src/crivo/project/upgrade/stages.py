"""The stages that an upgrade touches: their code, the library's folders, the packages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from crivo.core.errors import CrivoError
from crivo.core.params import read_yaml
from crivo.core.parsing import parse_yaml
from crivo.project.locks import read_lock
from crivo.repository.lock import covers
from crivo.repository.pipeline import Pipeline, Stage, read_pipeline
from crivo.repository.running import run_dvc

LOCK = "requirements.txt"
LIBRARY = "src/crivo"
# What stands for itself below: a stage's settings, its definition, its packages.
ASKED_OTHERWISE = ("dvc.yaml", "params.yaml", LOCK)


@dataclass(frozen=True)
class Side:
    """A project before or after its upgrade: its folder, and the package of its library.

    The pipeline of crivo's own repository, which comes with the library, says which of its
    folders a stage runs.
    """

    root: Path
    library: Path

    @cached_property
    def pipeline(self) -> Pipeline:
        return read_pipeline(self.root, ())

    @cached_property
    def settings(self) -> Any:
        """The values in `params.yaml`."""
        return read_yaml(self.root / "params.yaml")

    @cached_property
    def packages(self) -> dict[str, str]:
        """What `requirements.txt` pins, by package, but crivo, whose code is compared by files."""
        pins: dict[str, str] = {}
        for entry in read_lock((self.root / LOCK).read_text(encoding="utf-8"))[1]:
            name = canonicalize_name(entry.name)
            if name != "crivo":
                is_file = ".whl" in entry.pin
                pin = entry.pin if is_file else entry.pin.partition("\n")[0].rstrip("\\ ")
                pins[name] = " ".join(filter(None, (pins.get(name), pin)))
        return pins

    def code(self, stage: str) -> dict[str, bytes]:
        """Return the files of the library that a stage runs; all of them for a stage of a team."""
        own = self.library / "project/files/dvc.yaml"
        stages = parse_yaml(own.read_bytes())["stages"] if own.is_file() else {}
        deps = [str(dep) for dep in stages.get(stage, {}).get("deps", [LIBRARY])]
        return {
            path: content
            for path, content in self.library_files.items()
            if any(covers(dep, path) for dep in deps)
        }

    @cached_property
    def library_files(self) -> dict[str, bytes]:
        """The files of the library by path, as they are in crivo's repository."""
        found = (path for path in self.library.rglob("*") if path.suffix != ".pyc")
        return {
            f"{LIBRARY}/{path.relative_to(self.library).as_posix()}": path.read_bytes()
            for path in found
            if path.is_file()
        }


def differences(before: Side, after: Side, changed: set[str]) -> dict[str, list[str]]:
    """Return for each stage what is other for it after an upgrade: nothing, and it is the same.

    `changed`: the files of the project that the upgrade changes. The stages are in their order.
    """
    return {
        name: [*_other(before, after, name, changed)] if name in before.pipeline.stages else ["new"]
        for name in after.pipeline.stages
    }


def stale_stages(project: Path, stages: list[str]) -> set[str]:
    """Return the stages whose results DVC doesn't take for those of the files here."""
    if not stages:
        return set()
    done = run_dvc(["status", "--json", *stages], project)
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise CrivoError(f"`dvc status` failed: {last}")
    return {stage for stage in stages if stage in json.loads(done.stdout)}


def _other(before: Side, after: Side, name: str, changed: set[str]) -> Iterator[str]:
    old, new = before.pipeline.stages[name], after.pipeline.stages[name]
    if _definition(old) != _definition(new):
        yield "dvc.yaml"
    one, other = before.code(name), after.code(name)
    yield from sorted(path for path in {*one, *other} if one.get(path) != other.get(path))
    for path in sorted(changed - {*ASKED_OTHERWISE}):
        if any(covers(dep, path) or path == f"{dep}.dvc" for dep in new.deps):
            yield path
    for key in new.params:
        if _value(before.settings, key) != _value(after.settings, key):
            yield f"the settings {key}"
    for package in sorted(before.packages.keys() | after.packages.keys()):
        pins = [side.packages.get(package, f"no {package}") for side in (before, after)]
        if pins[0] != pins[1]:
            yield " -> ".join(pins)


def _definition(stage: Stage) -> tuple[object, ...]:
    outs = sorted((out.path, out.cached) for out in stage.outs)
    return stage.command, sorted(stage.deps), sorted(stage.params), outs


def _value(settings: Any, key: str) -> Any:
    for name in key.split("."):
        settings = settings.get(name) if isinstance(settings, Mapping) else None
    return settings
