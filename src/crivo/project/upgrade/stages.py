"""Which stages an upgrade touches: their code, the library's code they import, their packages.

The project stands twice in a temporary folder, before and after, each with its library as
`src/crivo`; what a stage imports is then found as `crivo check` finds it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from crivo.checks.dynamic_imports import import_calls, target
from crivo.checks.project import Project
from crivo.project.locks import read_lock
from crivo.project.upgrade.lock import versions
from crivo.repository.paths import covers
from crivo.repository.pipeline import Pipeline, Stage, read_pipeline

LOCK = "requirements.txt"
# What stands for itself below: a stage's settings, its definition, its packages.
ASKED_OTHERWISE = ("dvc.yaml", "params.yaml", LOCK)


class Tree(Project):
    """A project's code in a folder of its own, with its library beside it, and no git."""

    @cached_property
    def pipeline(self) -> Pipeline:
        return read_pipeline(self.root, ())

    def code(self, stage: str) -> frozenset[str]:
        """Return every file whose content a stage's code is, templates and the like too."""
        closure = self.closure(stage)
        return closure.union(*(self.sources.files_named(path) for path in closure))


@dataclass(frozen=True)
class Lock:
    """A lock's packages: how each is pinned, and what each needs directly."""

    pins: dict[str, str]
    requirements: dict[str, set[str]]


def write_tree(folder: Path, files: Mapping[str, bytes]) -> Tree:
    """Put a project's files into a folder that holds its library, and return the project."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    (folder / ".dvc").mkdir(exist_ok=True)
    (folder / ".dvc/config").write_text("[core]\n    no_scm = True\n    analytics = False\n")
    return Tree(folder)


def differences(before: Tree, after: Tree, changed: set[str]) -> dict[str, list[str]]:
    """Return for each stage what is other for it after an upgrade: nothing, and it is the same.

    `changed`: the files of the project that the upgrade changes. The stages are in their order.
    """
    return {
        name: [*_other(before, after, name, changed)] if name in before.pipeline.stages else ["new"]
        for name in after.pipeline.stages
    }


def inputs_made_by(pipeline: Pipeline, stage: str) -> list[str]:
    """Return the stages whose outputs a stage reads."""
    deps = pipeline.stages[stage].deps
    return [
        other.name
        for other in pipeline.stages.values()
        if any(covers(out.path, dep) or covers(dep, out.path) for out in other.outs for dep in deps)
    ]


def _other(before: Tree, after: Tree, name: str, changed: set[str]) -> Iterator[str]:
    old, new = before.pipeline.stages[name], after.pipeline.stages[name]
    if _definition(old) != _definition(new):
        yield "dvc.yaml"
    code = before.code(name) | after.code(name)
    yield from sorted(path for path in code if _content(before, path) != _content(after, path))
    named = {
        path
        for path in changed - {*ASKED_OTHERWISE}
        for dep in new.deps
        if covers(dep, path) or path == f"{dep}.dvc"
    }
    yield from sorted(named - code)
    for key in new.params:
        if _value(before.settings, key) != _value(after.settings, key):
            yield f"the settings {key}"
    yield from _other_packages(before, after, name)


def _definition(stage: Stage) -> tuple[object, ...]:
    outs = sorted((out.path, out.cached) for out in stage.outs)
    return stage.command, sorted(stage.deps), sorted(stage.params), outs


def _content(tree: Tree, path: str) -> bytes | None:
    place = tree.root / path
    return place.read_bytes() if place.is_file() else None


def _value(settings: Any, key: str) -> Any:
    for name in key.split("."):
        settings = settings.get(name) if isinstance(settings, Mapping) else None
    return settings


def _other_packages(before: Tree, after: Tree, stage: str) -> Iterator[str]:
    old, new = (_lock(tree.root / LOCK) for tree in (before, after))
    differing = {
        name
        for name in old.pins.keys() | new.pins.keys()
        if old.pins.get(name) != new.pins.get(name)
    }
    if differing:
        imported = _imported(before, stage)
        if imported is not None:
            differing &= _needed(imported, old) | _needed(imported, new)
    for name in sorted(differing):
        yield f"{old.pins.get(name, f'no {name}')} -> {new.pins.get(name, f'no {name}')}"


def _lock(path: Path) -> Lock:
    """Read a lock; crivo itself is left out, because its code is compared file by file."""
    pins: dict[str, str] = {}
    requirements: dict[str, set[str]] = {}
    for entry in read_lock(path.read_text(encoding="utf-8"))[1]:
        name = canonicalize_name(entry.name)
        if name == "crivo":
            continue
        pin = entry.pin if ".whl" in entry.pin else versions([entry])
        pins[name] = " ".join(filter(None, (pins.get(name), pin)))
        for one in entry.needed_by:
            requirements.setdefault(canonicalize_name(one), set()).add(name)
    return Lock(pins, requirements)


def _imported(tree: Tree, stage: str) -> set[str] | None:
    """Return the packages that a stage's code imports; None when one of them is not known."""
    known = _distributions()
    packages: set[str] = set()
    for path in tree.closure(stage):
        for module in _modules(tree, path):
            if module in sys.stdlib_module_names or tree.sources.files((module,)):
                continue
            if (tree.root / "src" / module).is_dir():
                continue
            if module not in known:
                return None
            packages |= {canonicalize_name(name) for name in known[module]}
    return packages


def _modules(tree: Tree, path: str) -> Iterator[str]:
    nodes = tree.sources.nodes(path)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
    for call in import_calls(nodes):
        if name := target(call, tree.sources.name(path)):
            yield name.partition(".")[0]


def _needed(imported: set[str], lock: Lock) -> set[str]:
    """Return packages and what they need: also what they can use, as pandas uses pyarrow."""
    packages: set[str] = set()
    open_ends = imported.union(*(_usable(name) for name in imported))
    while open_ends:
        packages |= open_ends
        open_ends = (
            set().union(*(lock.requirements.get(name, set()) for name in open_ends)) - packages
        )
    return packages


@cache
def _usable(package: str) -> frozenset[str]:
    """Return what an installed package names as needed or optional."""
    try:
        named = requires(package) or []
    except PackageNotFoundError:
        return frozenset()
    return frozenset(canonicalize_name(Requirement(one).name) for one in named)


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Return which distributions hold a module; to read all of them takes half a second."""
    return packages_distributions()
