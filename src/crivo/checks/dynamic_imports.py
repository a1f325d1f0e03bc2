"""Imports by a computed name: which module, or which package's modules, a call may load."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

FUNCTIONS = ("import_module", "__import__")


def import_calls(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Yield the calls among some nodes that import a module by its name."""
    for node in nodes:
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else None
            if (name or getattr(function, "id", None)) in FUNCTIONS:
                yield node


def target(call: ast.Call, module: str) -> str | None:
    """Return the module that a call in a module imports, or None when nobody can see.

    A name that is written in part gives its package and a star: any module of it.

    >>> calls = 'import_module("a.b")', 'import_module(f"{__name__}.{x}")', 'import_module(x)'
    >>> [target(ast.parse(call).body[0].value, "a.c") for call in calls]
    ['a.b', 'a.c.*', None]
    """
    name = call.args[0] if call.args else None
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return name.value
    if isinstance(name, ast.JoinedStr):
        start = "".join(_written(name, module))
        package, dot, _ = start.rpartition(".")
        return f"{package}.*" if dot else None
    return None


def _written(name: ast.JoinedStr, module: str) -> Iterator[str]:
    """Yield the parts of an f-string up to the first that is computed."""
    for part in name.values:
        if isinstance(part, ast.Constant):
            yield str(part.value)
        elif isinstance(part, ast.FormattedValue) and ast.unparse(part.value) == "__name__":
            yield module
        else:
            return
