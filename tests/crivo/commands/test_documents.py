"""The schema of `--json`: every command that reports has one, and the page is generated from it."""

from __future__ import annotations

from pathlib import Path

import typer

from crivo.cli import app
from crivo.reference.json_documents import DOCUMENTS, PAGE, SCHEMA, documents_page, schema_text

ROOT = Path(__file__).parents[3]


def test_every_command_that_reports_has_a_document() -> None:
    group = typer.main.get_group(app)
    reporting = {
        name
        for name, command in group.commands.items()
        if not command.hidden and any("--json" in one.opts for one in command.params)
    }
    assert reporting == {name.split()[0] for name in DOCUMENTS}


def test_the_page_and_the_schema_are_what_the_results_say() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == documents_page(), "run `make docs`"
    assert (ROOT / SCHEMA).read_text(encoding="utf-8") == schema_text(), "run `make docs`"


def test_every_field_is_explained() -> None:
    rows = [line for line in documents_page().splitlines() if line.startswith("| `")]
    assert [row for row in rows if row.endswith("|  |")] == []
