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

This page lists all commands with their options. Each command shows the same text with `--help`:

```
crivo try --help
```

The page is written from the code by `python -m crivo.reference`.

Every command takes `--quiet` (`-q`) and `--verbose` (`-v`). The environment variable `CRIVO_LOG`
(`warning`, `info` or `debug`) does the same for `dvc repro` and its stages. On a terminal, verdicts
are coloured unless `NO_COLOR` is set, and work that takes more than a second shows its progress and
the remaining time. `crivo --version` says which code runs. `crivo --install-completion` lets your
shell complete commands, options and the names of experiments.

A command exits with status 0 if it succeeded, and with 1 if it failed or if what it checks doesn't
hold. Invalid options give 2, and Ctrl-C gives 130. With `--json`, the exit status of `crivo try`
and `crivo search` is [the verdict](../json.md).

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
    shown = {name: one for name, one in group.commands.items() if not one.hidden}
    for name, command in shown.items():
        overview.append(f"| [`crivo {name}`](#crivo-{name}) | {_first_paragraph(command.help)} |\n")
        text = get_docs_for_click(obj=command, ctx=context, indent=1, call_prefix="crivo")
        pages.append(SHORTENED.sub("", text))
    return HEAD + "".join(overview) + "\n" + "".join(pages).strip() + "\n"


def _first_paragraph(text: str | None) -> str:
    """Return the text as a cell of a table can hold it."""
    return " ".join((text or "").partition("\n\n")[0].split())
