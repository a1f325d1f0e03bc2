"""The README's commands, run as it gives them, and the folders that it names."""

import re

import pytest

from tests.crivo import forked
from tests.crivo.pipeline.pages import run_as_typed
from tests.crivo.pipeline.project import ROOT, Project

README = (ROOT / "README.md").read_text(encoding="utf-8")


def block_after(heading: str) -> list[str]:
    """Return the lines of the first code block under a heading."""
    section = README.split(f"## {heading}\n")[1]
    return section.split("```\n")[1].strip().splitlines()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"^make (\w+)", README, re.MULTILINE))))
def test_every_make_target_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_every_folder_of_the_tree_exists(reproduced: Project) -> None:
    tree = "\n".join(block_after("Where things are"))
    for name in re.findall(r"(?:^| )((?:[\w-]+/)+)(?= |$)", tree, re.MULTILINE):
        places = (name, f"src/{name}", f"src/crivo/{name}", f"src/blocks/{name}")
        assert any((reproduced.folder / place).is_dir() for place in places), name


def test_the_first_experiment_runs_line_by_line(project: Project) -> None:
    (project.folder / ".venv").symlink_to(forked.virtual_environment())
    commands = block_after("The first experiment")
    assert commands[0] == "source .venv/bin/activate"
    printed = run_as_typed(project, commands)
    assert project.status() == ""
    assert "board/board.html" in printed
