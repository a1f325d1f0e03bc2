"""Private names of other libraries are used where the list says so, and nowhere else."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
LIST = ROOT / "CONTRIBUTING.md"
TREES = {file: [*ast.walk(ast.parse(file.read_text()))] for file in SOURCE.rglob("*.py")}
# Modules of the project, and what is public of named tuples and in notebooks.
OWN = {file.stem for file in TREES} | {"_asdict", "_fields", "_replace", "_repr_html_"}
# A place such as `scipy._lib.x`, or the name of a class.
TEXT = r"[a-z]\w*(\.\w+)+|_[A-Z]+[a-z]\w+"


def names(node: ast.AST) -> list[str]:
    """Return the parts of what is imported or asked for, also in a text or by a decorator."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = [] if isinstance(node, ast.Import) else [node.module or ""]
        return ".".join([*module, *(alias.name for alias in node.names)]).split(".")
    if isinstance(node, ast.Constant) and re.fullmatch(TEXT, str(node.value)):
        return str(node.value).split(".")
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "hasattr"):
        return [str(getattr(node.args[1], "value", ""))]
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        return [node.name]
    found = getattr(node, "attr", None) or getattr(node, "id", None)
    return [found] if isinstance(found, str) else []


def defined(node: ast.AST) -> list[str]:
    """Return what is defined: a function, a variable, an attribute of one's own."""
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in ("self", "cls"):
        return [node.attr]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return []
    found = getattr(node, "name", None) or getattr(node, "id", None) or getattr(node, "arg", None)
    return [found] if isinstance(found, str) else []


def test_a_file_uses_the_private_names_of_libraries_that_it_is_listed_with() -> None:
    asked = {file: {n for node in nodes for n in names(node)} for file, nodes in TREES.items()}
    used = set()
    for file, nodes in TREES.items():
        own = {name for node in nodes for name in defined(node)}
        # What is defined and asked for nowhere belongs to a library: a method or argument.
        foreign = (asked[file] - own) | own.difference(*asked.values())
        place = file.relative_to(ROOT).as_posix().removeprefix("src/crivo/")
        used |= {(place, name) for name in foreign - OWN if re.match("_[^_]", name)}
    rows = re.findall(r"^\| `(\S+\.py)` \| (.+?) \|", LIST.read_text(encoding="utf-8"), re.M)
    assert used == {(file, name) for file, cell in rows for name in re.findall(r"`(\w+)`", cell)}
