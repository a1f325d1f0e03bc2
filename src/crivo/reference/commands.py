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

Every command takes `--quiet` (`-q`) and `--verbose` (`-v`). The environment variable `CRIVO_LOG`
(`warning`, `info` or `debug`) does the same for `dvc repro` and its stages. On a terminal, verdicts
are coloured, unless `NO_COLOR` is set, and work of more than a second shows how far it is and how
long it will take. `crivo --version` says which code runs. `crivo --install-completion` lets your
shell complete commands, options and the names of experiments.

A command exits with status 0 if it could do what it was asked, and with 1 if it couldn't, or if
what it checks doesn't hold. Options that it can't read give 2, Ctrl-C gives 130. `crivo try --json`
gives [its verdict](../json.md) instead.

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
