"""A command that is forked is told and answers as a process of its own."""

import signal
import subprocess
import tempfile
import time
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


def test_a_server_that_was_ended_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test may start it, but not have it among the files that it looks at."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    command = ["crivo", "--version"]
    first = forked.run(command, tmp_path, environment())
    for child in psutil.Process().children():
        child.kill()
        child.wait()
    assert forked.run(command, tmp_path, environment()).stdout == first.stdout
    assert list(tmp_path.iterdir()) == []


# pandas is there before a fork imports anything.
STAGE = """
import os, pathlib, sys, time
pathlib.Path("pid").write_text(str(os.getpid()))
print(sys.argv, "pandas" in sys.modules, os.environ.get("MINE"), sys.path[0], flush=True)
sys.exit(open(0).read() or int(sys.argv[1]) or time.sleep(600))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a stage that prints what it was told, and ends as it was told."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/stage.py").write_text(STAGE)
    return tmp_path


def shell(folder: Path, text: str, **variables: str) -> subprocess.CompletedProcess[str]:
    told = forked.in_forks(environment(**variables))
    return subprocess.run(["sh", "-c", text], cwd=folder, env=told, capture_output=True, text=True)


@pytest.mark.parametrize(("variable", "forks"), [("MINE", True), ("PYTHONHASHSEED", False)])
def test_what_a_shell_starts_is_forked_unless_python_is_told_something(
    folder: Path, variable: str, forks: bool
) -> None:
    done = shell(folder, "python src/stage.py 7 </dev/null; echo $?", **{variable: "1"})
    mine = "1" if variable == "MINE" else None
    assert done.stdout == f"['src/stage.py', '7'] {forks} {mine} {folder}/src\n7\n"
    done = shell(folder, "echo no rows | python src/stage.py 7 2>&1 >out")
    assert done.stdout == "no rows\n\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_fork_ends_with_the_command(folder: Path, number: signal.Signals) -> None:
    command = ("python", "src/stage.py", "0")
    running = subprocess.Popen(
        command, cwd=folder, env=forked.in_forks(environment()), stdin=subprocess.DEVNULL
    )
    while not (folder / "pid").exists() or not (folder / "pid").read_text():
        assert running.poll() is None
        time.sleep(0.01)
    fork = psutil.Process(int((folder / "pid").read_text()))
    running.send_signal(number)
    assert running.wait(60) == -number
    fork.wait(60)
