"""What a module does when it is imported, beyond defining names of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

# Functions that change something elsewhere though their result is assigned to a name.
CHANGING = re.compile(r"set_?[a-z]+|seed|seterr|chdir|putenv|register|enable|disable|patch|use")
# Importing isn't an effect of its own: what is imported is looked at, too.
IMPORTING = ("importlib.import_module", "import_module")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def effects(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line of each statement that has an effect on import, and what it does.

    >>> list(effects(ast.parse("import numpy as np\\nX = {1: 2}\\nnp.random.seed(0)")))
    [(3, 'calls np.random.seed')]
    """
    for statement in _at_import(tree.body):
        if what := _effect(statement):
            yield statement.lineno, what


def _at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run on import: those in functions don't, those in classes do."""
    for statement in body:
        if _is_main(statement):
            continue
        yield statement
        if not isinstance(statement, DEFINITIONS):
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.ExceptHandler | ast.match_case):
                    yield from _at_import(child.body)
                elif isinstance(child, ast.stmt):
                    yield from _at_import([child])


def _is_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)


def _effect(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Expr):
        return _call(statement.value) if not isinstance(statement.value, ast.Constant) else None
    if isinstance(statement, ast.Assign | ast.Delete):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        targets = [statement.target]
    else:
        return None
    for target in targets:
        if not isinstance(target, ast.Name | ast.Tuple):
            return f"changes {ast.unparse(target)}"
    value = getattr(statement, "value", None)
    changing = isinstance(value, ast.Call) and CHANGING.fullmatch(_name(value).rpartition(".")[2])
    return _call(value) if changing else None


def _call(value: ast.expr | None) -> str | None:
    if not isinstance(value, ast.Call):
        return "computes something"
    return None if _name(value) in IMPORTING else f"calls {_name(value)}"


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func)
