"""B: checks of the files of blocks, and of the project's code outside them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from crivo.checks.project import LIBRARY, Findings, Project, check
from crivo.core.blocks import KINDS
from crivo.core.registry import BLOCKS
from crivo.repository.lock import covers


@check(
    "B001",
    "A block's file doesn't define exactly one block",
    severity="error",
    sentence="{message}",
    example=(
        "src/blocks/models/stacked.py",
        {"message": "defines 2 classes derived from Model; a block file defines exactly one."},
    ),
)
def one_block(project: Project) -> Findings:
    """A block is found by its file's name. The file must therefore define exactly one subclass of
    the interface of its kind, and it must be importable. Code that blocks share belongs in a file
    whose name starts with `_`. While a file is broken, settings can't be checked.
    """
    for path, message in project.broken_blocks:
        yield path, {"message": message}


@check(
    "B003",
    "A block's file changes something when it is imported",
    severity="error",
    sentence="{what} when the file is imported; move it into the method that needs it: every stage "
    "imports every block, but depends only on those in use.",
    example=("src/blocks/models/odd.py:4", {"what": "calls np.random.seed"}),
)
def only_defining(project: Project) -> Findings:
    """Every stage imports every block that has a section in `params.yaml`, but depends only on the
    files of the blocks in use. Therefore a block's file, and the code that it shares with other
    blocks, may only define its own names. If it set a seed, a pandas option or a library attribute
    on import, the results of other blocks would change without any stage running again.
    """
    stages = project.pipeline.stages.values()
    scripts = {stage.script for stage in stages}
    folders = {PurePosixPath(BLOCKS, folder) for folder, _ in KINDS.values()}
    for path in sorted({*project.repository.candidates("src/*.py")} - scripts):
        shared = all(any(covers(dep, path) for dep in stage.deps) for stage in stages)
        if not covers(LIBRARY, path) and (PurePosixPath(path).parent in folders or not shared):
            for line, what in effects(project.tree(path)):
                yield f"{path}:{line}", {"what": what}


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
    for statement in _at_import(tree):
        value = getattr(statement, "value", None)
        called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
        changed = _changed(statement)
        if changed is not None:
            yield statement.lineno, f"changes {changed}"
        elif isinstance(statement, ast.Expr) and not isinstance(value, ast.Constant):
            if called not in IMPORTING:
                yield statement.lineno, f"calls {called}" if called else "computes something"
        elif CHANGING.fullmatch(called.rpartition(".")[2]):
            yield statement.lineno, f"calls {called}"


def _at_import(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements that run on import: those in functions don't, those in classes do."""
    for child in ast.iter_child_nodes(node):
        is_main = isinstance(child, ast.If) and "__name__" in ast.unparse(child.test)
        if not is_main and not isinstance(child, DEFINITIONS):
            if isinstance(child, ast.stmt):
                yield child
            yield from _at_import(child)


def _changed(statement: ast.stmt) -> str | None:
    """Return what a statement assigns to or deletes, unless it is a name of the file's own."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    others = [one for one in targets if isinstance(one, ast.Attribute | ast.Subscript)]
    return ast.unparse(others[0]) if others else None
