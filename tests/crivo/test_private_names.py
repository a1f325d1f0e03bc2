"""Private names of other libraries are used where the list says so, and nowhere else."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
LIST = ROOT / "CONTRIBUTING.md"
LIBRARIES = {
    "dvc", "dvclive", "lightgbm", "numpy", "optuna", "pandas", "psutil", "pyarrow", "pydantic",
    "scipy", "scmrepo", "skops", "sklearn", "threadpoolctl", "typer", "xgboost", "yaml",
    *sys.stdlib_module_names,
}  # fmt: skip
# Public, though they begin with an underscore: of named tuples.
PUBLIC = {"_asdict", "_fields", "_replace"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def of_library(path: str) -> Iterator[str]:
    """Give the first private part of a dotted name of a library."""
    first, *parts = path.split(".")
    if first in LIBRARIES:
        yield from [part for part in (first, *parts) if is_private(part)][:1]


def used(file: Path) -> set[str]:
    """Return the private names of libraries that a file uses; attributes of what it holds too."""
    nodes = [*ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    own = {"self", "cls"} | {
        name.id for name in nodes if isinstance(name, ast.Name) and is_private(name.id)
    }
    defined = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in own
    } | {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(part for alias in node.names for part in of_library(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update(part for a in node.names for part in of_library(f"{node.module}.{a.name}"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.fullmatch(r"[a-z]\w*(\.\w+)+", node.value):
                found.update(of_library(node.value))
        elif isinstance(node, ast.Attribute) and is_private(node.attr):
            found.update({node.attr} - defined)
    return found


def listed() -> dict[str, str]:
    rows = re.findall(r"^\| `(\S+\.py)` \| (.+?) \|", LIST.read_text(encoding="utf-8"), re.M)
    return dict(rows)


def place(file: Path) -> str:
    """Return how the list names a file: blocks from `src`, the library from its own folder."""
    return file.relative_to(SOURCE).as_posix().removeprefix("crivo/")


def test_a_file_uses_private_names_of_libraries_if_and_only_if_it_is_listed() -> None:
    found = {place(file): names for file in SOURCE.rglob("*.py") if (names := used(file))}
    assert found.keys() == listed().keys(), found
