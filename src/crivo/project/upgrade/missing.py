"""Imports in a project's code of names that the new library doesn't have."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path


def missing_names(code: Mapping[str, Path], library: Path) -> list[str]:
    """Return a sentence for each name of the library that Python files import in vain.

    `code`: the project's files by path; `library`: the folder in which the package `crivo` is.
    """
    missing: dict[str, None] = {}
    for path, file in sorted(code.items()):
        with suppress(SyntaxError, ValueError, OSError):  # `crivo check` says so
            for sentence in _missing(ast.parse(file.read_bytes()), library):
                missing[f"{path}: {sentence}"] = None
    return list(missing)


def _missing(tree: ast.Module, library: Path) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules, names = [alias.name for alias in node.names], []
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules, names = [node.module or ""], [alias.name for alias in node.names]
        else:
            continue
        for module in modules:
            if module.split(".")[0] != "crivo":
                continue
            if (source := _source(library, module)) is None:
                yield f"there is no {module}{_new_import(names, library)}"
                continue
            known = _bound(source)
            for name in names:
                if not (known & {name, "__getattr__"} or _source(library, f"{module}.{name}")):
                    yield f"there is no `{name}` in {module}{_new_import([name], library)}"


def _new_import(names: list[str], library: Path) -> str:
    """Return which of these names the package `crivo` itself has, as an advice."""
    public = _bound(library / "crivo/__init__.py")
    known = ", ".join(name for name in names if name in public - {"*"})
    return f"; write `from crivo import {known}`" if known else ""


def _source(library: Path, module: str) -> Path | None:
    """Return the file of a module or package; None where there is none."""
    place = library.joinpath(*module.split("."))
    files = (place / "__init__.py", place.with_name(f"{place.name}.py"))
    return next((path for path in files if path.is_file()), None)


def _bound(source: Path) -> set[str]:
    """Return the names that a module may bind: rather too many than too few."""
    bound = {"*"}
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return bound
