"""A script that is run in a fork is run as by a Python of its own."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crivo.core.parsing import read_yaml
from crivo.repository.stage_process import StageProcess
from crivo.runtime import forkserver

SCRIPTS: dict[str, str] = read_yaml(Path(__file__).with_name("scripts.yaml"))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StageProcess]:
    folder = tmp_path_factory.mktemp("forks")
    (folder / "src").mkdir()
    # The library comes after the project's own `src`, as an installed one does.
    made = StageProcess(folder, {"PYTHONPATH": None})
    yield made
    made.close()


def run(process: StageProcess, text: str, *words: str, **environment: str) -> tuple[int, str]:
    """Run a script as DVC does: by the `python` of the process's environment."""
    (process.folder / "src/stage.py").write_text(text)
    done = subprocess.run(
        ["python", "src/stage.py", *words], cwd=process.folder,
        env={**process.environment, **environment}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_what_all_stages_import_is_imported_once_and_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names, called = (*forkserver.FIRST, *forkserver.LATER), list[str]()
    for name in names:
        module, _, function = name.partition(":")
        found = importlib.import_module(module)
        if function:
            monkeypatch.setattr(found, function, lambda name=name: called.append(name))
    forkserver._import_all(names)
    assert called == [name for name in names if ":" in name]


def test_a_script_is_told_its_arguments_folder_and_environment(process: StageProcess) -> None:
    text = (
        "import os, sys\nprint(sys.argv, __name__, __file__, os.getcwd(), os.environ['DVC_STAGE'], "
        "sys.path[0], sys.stdin.read(), os.environ.get('OPENBLAS_NUM_THREADS'))\n"
    )
    status, said = run(process, text, "--fast", DVC_STAGE="train")
    folder = process.folder
    assert status == 0
    threads = os.environ.get("OPENBLAS_NUM_THREADS")
    script = f"['src/stage.py', '--fast'] __main__ {folder}/src/stage.py"
    assert said == f"{script} {folder} train {folder}/src  {threads}\n"


def test_nothing_of_a_run_is_left_for_the_next(process: StageProcess) -> None:
    text = (
        "import os, sys, json, random\n"
        "print(hasattr(json, 'mark'), os.environ.get('MARK'), 'own' in sys.modules)\n"
        "import own\njson.mark = 1\nos.environ['MARK'] = 'x'\n"
    )
    (process.folder / "src/own.py").write_text("")
    assert [run(process, text) for _ in range(3)] == [(0, "False None False\n")] * 3


def test_what_happens_at_the_end_of_a_process_happens(process: StageProcess) -> None:
    (process.folder / "src/own.py").write_text("")
    assert run(process, SCRIPTS["ends"]) == (0, "said")
    for name in ("thread", "cycle", "global", "module", "exit"):
        assert (process.folder / name).read_text() == name


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("raise SystemExit('no rows')", 1, "no rows\n"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", 137, ""),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
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
def test_a_variable_of_python_s_starts_no_python_again(process: StageProcess, name: str) -> None:
    """The server was started without it, so it isn't in force; Dask's workers all have one."""
    text = (
        "from crivo.runtime.start import start_stage\nstart_stage()\n"
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
        "from crivo.runtime.start import start_stage\nstart_stage()\n"
        "import pyarrow\nprint(pyarrow.memory_map('secret.csv').size())\n"
    )
    for _ in range(2):
        status, said = run(process, text)
        assert status == 1
        assert "the stage one reads secret.csv (src/stage.py, line 4)" in said
