"""Private names of other libraries are used where the list says so, and nowhere else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
LIST = ROOT / "CONTRIBUTING.md"
TREES = {file: [*ast.walk(ast.parse(file.read_text()))] for file in SOURCE.rglob("*.py")}
# Public, though they begin with an underscore: of named tuples.
PUBLIC = {"_asdict", "_fields", "_replace"}


def names(node: ast.AST) -> list[str]:
    """Return the parts of what is imported or asked for, also in a text such as `scipy._lib.x`."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = [] if isinstance(node, ast.Import) else [node.module or ""]
        return ".".join([*module, *(alias.name for alias in node.names)]).split(".")
    if isinstance(node, ast.Constant) and re.fullmatch(r"[a-z]\w*(\.\w+)+", str(node.value)):
        return str(node.value).split(".")
    return [node.attr] if isinstance(node, ast.Attribute) else []


def defined(node: ast.AST) -> list[str]:
    """Return what is defined: a function, a variable, an attribute of one's own, a module."""
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in ("self", "cls"):
        return [node.attr]
    found = getattr(node, "name", None) or getattr(node, "id", None)
    return [found] if isinstance(found, str) else []


def test_a_file_uses_private_names_of_libraries_if_and_only_if_it_is_listed() -> None:
    own = PUBLIC | {name for nodes in TREES.values() for node in nodes for name in defined(node)}
    own |= {file.stem for file in TREES}
    used = {
        file.relative_to(SOURCE).as_posix().removeprefix("crivo/"): found
        for file, nodes in TREES.items()
        if (found := {n for node in nodes for n in names(node) if re.match("_[^_]", n)} - own)
    }
    listed = set(re.findall(r"^\| `(\S+\.py)` \| .+ \|", LIST.read_text(encoding="utf-8"), re.M))
    assert used.keys() == listed, used
