"""The fingerprint of what was computed: which metric functions, with which settings.

Two experiments whose definitions differ measured different things under one name. What
counts is what the code does: comments, docstrings, annotations, the words of an error and the
layout change nothing. The same source gives the same fingerprint in every Python version.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from crivo.core.predictions import definition_fingerprint
from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.jackknife import leave_out
from crivo.evaluation.metrics import Metric
from crivo.evaluation.tasks import task_evaluation

# Code of ours: the library's, and the blocks of a project.
OURS = ("crivo.", "blocks.")
CONSTANTS = (bool, int, float, str, tuple)


def definition_of(metrics: Iterable[Metric]) -> str:
    """Return the fingerprint of the metrics' code, of all it uses here, and of the settings."""
    parts: dict[str, str] = {}
    for metric in metrics:
        kind = (metric.direction, metric.best, metric.bounds, metric.interval)
        parts[f"metric {metric.name}"] = f"{kind} {sorted(metric.settings.items())}"
        rows_type = task_evaluation(metric.task).rows_type
        for start in (metric.compute, metric.without, rows_type, leave_out, jackknife_groups):
            _collect(start, parts)
    return definition_fingerprint(parts)


def _collect(thing: Any, parts: dict[str, str]) -> None:
    """Add the code of a function or class of ours, and of all of ours that it mentions.

    What was defined within another function stands for all of that. A change inside a module's
    lambda, or of what a closure was made with, isn't noticed.
    """
    thing = inspect.unwrap(thing)
    if not isinstance(thing, FunctionType | type) or not thing.__module__.startswith(OURS):
        return
    module, outermost = sys.modules[thing.__module__], thing.__qualname__.partition(".")[0]
    # Blocks were once modules of the library: their definitions stay what was recorded.
    place = "crivo." + thing.__module__.partition(".")[2]
    code = _definitions(inspect.getsource(module)).get(outermost)
    name = f"{place}.{outermost}"
    if code is None or name in parts:
        return
    parts[name] = code.shape
    for mentioned, value in _mentioned(code, vars(module)):
        if isinstance(value, CONSTANTS):
            parts[f"{place}.{mentioned}"] = repr(value)
        _collect(value, parts)


class _Code(NamedTuple):
    """What a function or class does, and what it mentions: `("name", None)`, `("module", "name")`.

    Each time, in the order of the code.
    """

    shape: str
    mentions: tuple[tuple[str, str | None], ...]


@cache
def _definitions(source: str) -> dict[str, _Code]:
    """Return what the functions and classes of a file do, by name."""
    tree = _Essence().visit(ast.parse(source))
    return {
        node.name: _Code(shape(node), tuple(_mentions(node)))
        for node in tree.body
        if hasattr(node, "name")
    }


def _mentions(tree: ast.AST) -> Iterator[tuple[str, str | None]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.value.id, node.attr


def _mentioned(code: _Code, known: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the module's names that the code uses, also `name` of `module.name`."""
    for name, attribute in code.mentions:
        value = known.get(name)
        if attribute is None and name in known:
            yield name, value
        elif attribute and isinstance(value, ModuleType) and value.__name__.startswith(OURS):
            yield attribute, getattr(value, attribute)


class _Essence(ast.NodeTransformer):
    """Takes from code what changes no number."""

    def _bare(self, node: Any) -> Any:
        if ast.get_docstring(node) is not None:
            del node.body[0]
        node.decorator_list = []
        node.returns = None
        return self.generic_visit(node)

    visit_FunctionDef = visit_ClassDef = _bare

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        return ast.Raise()


def shape(node: Any) -> str:
    """Return a syntax tree as text, without the empty fields that Python versions add.

    >>> shape(ast.parse("a + 1  # one more"))
    "Module(body=[Expr(value=BinOp(left=Name(id='a'),op=Add(),right=Constant(value=1)))])"
    """
    if isinstance(node, list):
        return "[" + ",".join(map(shape, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    skipped = ("ctx", "kind")
    filled = [
        f"{name}={shape(value)}"
        for name, value in ast.iter_fields(node)
        if name not in skipped and value is not None and value != []
    ]
    return f"{type(node).__name__}({','.join(filled)})"
