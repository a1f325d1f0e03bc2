"""The help of a command."""

import pytest
from typer.testing import CliRunner

from crivo.cli import app


@pytest.mark.parametrize("command", ["try", "search"])
def test_the_lines_of_a_paragraph_are_filled(command):
    told = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "80"}).output
    text = told[told.index("With --json") : told.index("Arguments")]
    *lines, _, _ = [line.strip() for line in text.splitlines() if line.strip()]
    assert lines
    assert min(map(len, lines)) > 60
