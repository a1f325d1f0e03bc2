"""What commands have in common: their help, the schema of `--json`, the values of options."""

import pytest
import typer

from crivo.cli import app
from crivo.reference.pages import DOCUMENTS, documents_page
from tests.crivo.cli import invoke

COMMANDS = typer.main.get_group(app).commands


def test_every_command_that_reports_has_a_document_whose_fields_are_explained() -> None:
    reporting = {
        name
        for name, command in COMMANDS.items()
        if not command.hidden and any("--json" in one.opts for one in command.params)
    }
    assert reporting == {name.split()[0] for name in DOCUMENTS}
    rows = [line for line in documents_page().splitlines() if line.startswith("| `")]
    assert [row for row in rows if row.endswith("|  |")] == []


def test_an_option_that_is_not_given_is_off_or_empty_or_has_the_usual_name() -> None:
    params = [one for command in COMMANDS.values() for one in command.params]
    usual = {"id_column": "id", "git_remote": "origin", "output": "board/board.html", "model": "."}
    usual |= {name: name for name in ("target", "prediction", "score")} | {"split": "valid"}
    assert {one.name: str(one.default) for one in params if one.default} == usual
    loudness = [one.name for one in params if one.name in ("quiet", "verbose")]
    assert len(loudness) == 2 * len(COMMANDS)


@pytest.mark.parametrize("command", ["try", "search"])
def test_the_lines_of_a_paragraph_are_filled(command: str) -> None:
    told = invoke(command, "--help", env={"COLUMNS": "80"}).output
    text = told[told.index("With --json") : told.index("Arguments")]
    *lines, _, _ = [line.strip() for line in text.splitlines() if line.strip()]
    assert lines
    assert min(map(len, lines)) > 60
