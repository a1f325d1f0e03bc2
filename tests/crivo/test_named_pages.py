"""Does what crivo prints name only pages that a started project has? It has none in `docs`."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/crivo"
PAGE = re.compile(r"\bdocs/[\w/-]+\.md\b")
# These write the pages themselves, which only crivo's own repository does.
WRITERS = {SOURCE / "checks/documentation.py", *(SOURCE / "reference").glob("*.py")}
MODULES = sorted({*SOURCE.rglob("*.py")} - WRITERS)
TEMPLATES = sorted(SOURCE.rglob("*.j2"))


def printed(module: Path) -> list[str]:
    """Return a module's texts; docstrings only where they are a command's `--help`."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    if module.parent.name == "commands":
        docstrings = set()
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [text.value for text in texts if isinstance(text.value, str) and text not in docstrings]


def test_no_message_names_a_page_that_a_started_project_lacks() -> None:
    named = {
        f"{module.relative_to(SOURCE)}: {text}"
        for module in MODULES
        for text in printed(module)
        if PAGE.search(text)
    }
    assert named == set()


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_report_names_a_page_that_a_started_project_lacks(template: Path) -> None:
    assert PAGE.findall(template.read_text(encoding="utf-8")) == []
