"""What crivo prints and writes names pages that a started project has, and today's commands."""

import ast
import re
from pathlib import Path

import pytest
import typer

from crivo.cli import app

SOURCE = Path(__file__).parents[2] / "src/crivo"
PAGE = re.compile(r"\bdocs/[\w/-]+\.md\b")
# These write the pages themselves, which only crivo's own repository does.
WRITERS = {*(SOURCE / "reference").glob("*.py")}
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


SHIPPED = [
    *(SOURCE.parents[1] / name for name in ("params.yaml", "dvc.yaml", "Makefile", "README.md")),
    *(path for place in ("docs", "src", "tests/project", "notebooks")
      for path in (SOURCE.parents[1] / place).rglob("*.*")
      if path.suffix in (".md", ".txt", ".py", ".j2", ".js", ".ipynb")
      and "__pycache__" not in path.parts and path.name != "behaviours.md"),
]  # fmt: skip


def test_no_text_names_a_command_by_its_old_name() -> None:
    commands = typer.main.get_group(app).commands
    old = "|".join(name for name, command in commands.items() if command.hidden)
    assert old
    named = re.compile(rf"crivo ({old})\b")
    texts = {path: path.read_text(encoding="utf-8") for path in SHIPPED}
    # The commands themselves say what they are called now.
    found = [f"{path}: {one[0]}" for path, text in texts.items() for one in named.finditer(text)]
    assert [one for one in found if "/commands/" not in one] == []
