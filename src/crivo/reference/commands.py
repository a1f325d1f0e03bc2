"""The page of all commands, from what each says of itself with `--help`."""

from __future__ import annotations

import re
from pathlib import Path

import typer
from typer.cli import get_docs_for_click

from crivo.cli import app

PAGE = Path("docs/reference/commands.md")

HEAD = """\
# Commands

Each command says the same with `--help`. This page is written from the code:
`python -m crivo.reference`.

| command | what it does |
| --- | --- |
"""
# typer's list of a group's commands cuts their help short.
SHORTENED = re.compile(r"\*\*Commands\*\*:\n\n(?:\* .*\n)+\n")


def commands_page() -> str:
    """Return the page: every command with its arguments, options and defaults."""
    group = typer.main.get_group(app)
    context = typer.Context(group)
    overview, pages = [], []
    for name, command in group.commands.items():
        overview.append(f"| [`crivo {name}`](#crivo-{name}) | {command.help} |\n")
        text = get_docs_for_click(obj=command, ctx=context, indent=1, call_prefix="crivo")
        pages.append(SHORTENED.sub("", text))
    return HEAD + "".join(overview) + "\n" + "".join(pages).strip() + "\n"
