"""The README's commands, run as it gives them."""

from tests.crivo import forked
from tests.crivo.pipeline.pages import run_as_typed
from tests.crivo.pipeline.project import ROOT, Project

README = (ROOT / "README.md").read_text(encoding="utf-8")


def block_after(heading: str) -> list[str]:
    """Return the lines of the first code block under a heading."""
    section = README.split(f"## {heading}\n")[1]
    return section.split("```\n")[1].strip().splitlines()


def test_the_first_experiment_runs_line_by_line(project: Project) -> None:
    (project.folder / ".venv").symlink_to(forked.virtual_environment())
    commands = block_after("The first experiment")
    assert commands[0] == "source .venv/bin/activate"
    printed = run_as_typed(project, commands)
    assert project.status() == ""
    assert "board/board.html" in printed
