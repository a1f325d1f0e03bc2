"""A script that is run in a fork is run as by a Python of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crivo.repository.stage_process import StageProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")


@pytest.fixture
def process(tmp_path: Path) -> Iterator[StageProcess]:
    (tmp_path / "src").mkdir()
    # The library comes after the project's own `src`, as an installed one does.
    made = StageProcess(tmp_path, {"PYTHONPATH": None})
    yield made
    made.close()


def run(process: StageProcess, text: str, *words: str, **environment: str) -> tuple[int, str]:
    (process.folder / "src/stage.py").write_text(text)
    lines: list[str] = []
    status = process.run(" ".join(["python src/stage.py", *words]), environment, lines.append)
    assert process._forks, "the script was not forked"
    return status, "".join(lines)


def test_a_script_is_told_its_arguments_folder_and_environment(process: StageProcess) -> None:
    text = (
        "import os, sys\nprint(sys.argv, __name__, os.getcwd(), os.environ['DVC_STAGE'], "
        "sys.path[0], sys.stdin.read(), os.environ.get('OPENBLAS_NUM_THREADS'))\n"
    )
    status, said = run(process, text, "--fast", DVC_STAGE="train")
    folder = process.folder
    assert status == 0
    threads = os.environ.get("OPENBLAS_NUM_THREADS")
    assert said == f"['src/stage.py', '--fast'] __main__ {folder} train {folder}/src  {threads}\n"


def test_nothing_of_a_run_is_left_for_the_next(process: StageProcess) -> None:
    text = (
        "import os, sys, json, random\n"
        "print(hasattr(json, 'mark'), os.environ.get('MARK'), 'own' in sys.modules)\n"
        "import own\njson.mark = 1\nos.environ['MARK'] = 'x'\n"
    )
    (process.folder / "src/own.py").write_text("")
    assert [run(process, text) for _ in range(3)] == [(0, "False None False\n")] * 3


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("raise SystemExit('no rows')", 1, "no rows\n"),
        ("raise SystemExit(7)", 7, ""),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", 137, ""),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
        ("def broken(:", 1, "SyntaxError: invalid syntax\n"),
    ],
)
def test_a_script_that_fails_says_why_and_others_run_afterwards(
    process: StageProcess, text: str, status: int, said: str
) -> None:
    failed, words = run(process, text)
    assert failed == status
    assert words.endswith(said)
    assert "forkserver" not in words
    assert run(process, "print('fine')") == (0, "fine\n")


@pytest.mark.parametrize("name", ["PYTHONHASHSEED", "PYTHONWARNINGS", "PYTHONPATH"])
def test_a_variable_of_python_s_does_not_start_python_again(
    process: StageProcess, name: str
) -> None:
    """The server was started without it, so it isn't in force; Dask's workers all have one."""
    text = (
        "from crivo.core.start import start_stage\nstart_stage()\n"
        f"import os, sys\nprint(sys.orig_argv[1], os.environ.get({name!r}))\n"
    )
    given = {"PYTHONHASHSEED": "1", "PYTHONWARNINGS": "error", "PYTHONPATH": "/nowhere"}
    assert run(process, text, **{name: given[name]}) == (0, "-c None\n")


def test_an_undeclared_read_is_refused_of_a_library_that_was_imported_before(
    process: StageProcess,
) -> None:
    (process.folder / "dvc.yaml").write_text("stages:\n  one:\n    cmd: python src/stage.py\n")
    (process.folder / "secret.csv").write_text("a\n1\n")
    text = (
        "from crivo.core.start import start_stage\nstart_stage()\n"
        "import pyarrow\nprint(pyarrow.memory_map('secret.csv').size())\n"
    )
    for _ in range(2):
        status, said = run(process, text)
        assert status == 1
        assert "the stage one reads secret.csv (src/stage.py, line 4)" in said


def test_a_checkout_without_the_library_s_server_runs_its_scripts_anew(tmp_path: Path) -> None:
    """An older commit has its own library in `src`, which knows nothing of forks."""
    (tmp_path / "src/crivo").mkdir(parents=True)
    (tmp_path / "src/crivo/__init__.py").write_text("")
    (tmp_path / "src/stage.py").write_text("print('fine')\n")
    process, lines = StageProcess(tmp_path), list[str]()
    assert process.run("python src/stage.py", {}, lines.append) == 0
    assert lines == ["fine\n"]
    process.close()
