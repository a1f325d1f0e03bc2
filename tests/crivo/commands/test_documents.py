"""The schema of `--json`: every command that reports has one, and the page is generated from it."""

import typer

from crivo.cli import app
from crivo.reference.pages import DOCUMENTS, documents_page


def test_every_command_that_reports_has_a_document() -> None:
    group = typer.main.get_group(app)
    reporting = {
        name
        for name, command in group.commands.items()
        if not command.hidden and any("--json" in one.opts for one in command.params)
    }
    assert reporting == {name.split()[0] for name in DOCUMENTS}


def test_every_field_is_explained() -> None:
    rows = [line for line in documents_page().splitlines() if line.startswith("| `")]
    assert [row for row in rows if row.endswith("|  |")] == []
