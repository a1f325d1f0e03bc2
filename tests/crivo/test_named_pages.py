"""What crivo prints and writes names no page that only crivo's own repository has."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/crivo"
PAGE = re.compile(r"\bdocs/[\w/-]+\.md\b")
# `reference` writes the pages themselves, which only crivo's own repository does.
WRITTEN = sorted(
    path
    for path in (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.j2"))
    if SOURCE / "reference" not in path.parents
)


def told(path: Path) -> str:
    """Return what a file may tell a user: all of it, or a module's texts without docstrings.

    The docstrings of commands are their `--help`.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py" or path.parent.name == "commands":
        return text
    tree = ast.parse(text)
    statements = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return "\n".join(str(one.value) for one in texts if one not in statements)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_message_names_a_page_that_a_started_project_lacks(path: Path) -> None:
    assert PAGE.findall(told(path)) == []
