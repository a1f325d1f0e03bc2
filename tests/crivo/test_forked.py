"""A command that is forked is told and answers as a process of its own."""

import subprocess
from pathlib import Path

import psutil
import pytest

from tests.crivo import forked
from tests.crivo.pipeline.project import environment

pytestmark = pytest.mark.skipif(not forked.runs(["crivo"]), reason="a fork isn't safe here")


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["crivo", "--version"], 0),
        (["crivo", "nonsense"], 2),
        (["crivo", "new"], 1),  # its environment asks for a level that there isn't
        (["dvc", "status"], 253),
    ],
)
def test_it_ends_and_speaks_as_a_process(command: list[str], status: int, tmp_path: Path) -> None:
    variables = environment(**({"CRIVO_LOG": "loud"} if command[1] == "new" else {}))
    found = forked.run(command, tmp_path, variables)
    wanted = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert found.returncode == wanted.returncode == status
    assert (found.stdout, found.stderr) == (wanted.stdout, wanted.stderr)


def test_it_runs_the_library_of_its_folder(tmp_path: Path) -> None:
    library = tmp_path / "src/crivo"
    library.mkdir(parents=True)
    (library / "__init__.py").touch()
    (library / "cli.py").write_text("def main():\n    print('own')\n")
    for name in ("dvc.yaml", "params.yaml"):
        (tmp_path / name).touch()
    assert forked.run(["crivo", "--version"], tmp_path, environment()).stdout == "own\n"


def test_a_server_that_was_ended_is_replaced(tmp_path: Path) -> None:
    command = ["crivo", "--version"]
    first = forked.run(command, tmp_path, environment())
    for child in psutil.Process().children():
        child.kill()
        child.wait()
    assert forked.run(command, tmp_path, environment()).stdout == first.stdout
