"""Makes docs/reference/commands.md from the `--help` of all commands."""

from __future__ import annotations

import re
from pathlib import Path

import typer
from typer.cli import get_docs_for_click

from crivo.cli import app
from crivo.reference import head

PAGE = Path("docs/reference/commands.md")

# typer's list of a group's commands cuts their help short.
SHORTENED = re.compile(r"\*\*Commands\*\*:\n\n(?:\* .*\n)+\n")


def commands_page() -> str:
    """Return the page: every command with its arguments, options and defaults."""
    group = typer.main.get_group(app)
    context = typer.Context(group)
    overview, pages = [], []
    shown = {name: one for name, one in group.commands.items() if not one.hidden}
    for name, command in shown.items():
        overview.append(f"| [`crivo {name}`](#crivo-{name}) | {_first_paragraph(command.help)} |\n")
        text = get_docs_for_click(obj=command, ctx=context, indent=1, call_prefix="crivo")
        pages.append(SHORTENED.sub("", text))
    return head("commands") + "".join(overview) + "\n" + "".join(pages).strip() + "\n"


def _first_paragraph(text: str | None) -> str:
    """Return the text as a cell of a table can hold it."""
    return " ".join((text or "").partition("\n\n")[0].split())
