"""How commands and stages end: one sentence and an exit status, never a traceback."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.crivo.processes import SRC, python

from crivo import cli
from crivo.core.artifacts import write_table
from crivo.core.errors import CrivoError
from crivo.core.parsing import read_yaml
from crivo.prediction import bundle
from crivo.runtime import stage

SCRIPTS: dict[str, str] = read_yaml(Path(__file__).with_name("scripts.yaml"))
LONG = "x" * 5000

# What is raised, and the sentence; there is no file name when the system gives none.
PLACE = "; check the path, its permissions and the space left, and run it again."
ROOM = "; use fewer rows, or a larger machine."
TOLD = {
    OSError(errno.ENOSPC, "No space left", "out.csv"): f"out.csv: No space left{PLACE}",
    NotADirectoryError(errno.ENOTDIR, "Not a directory", "a/b"): f"a/b: Not a directory{PLACE}",
    OSError(
        errno.ENAMETOOLONG, "File name too long", LONG
    ): f"{'x' * 120}: File name too long{PLACE}",
    OSError(): f"OSError{PLACE}",
    OSError("The file is odd."): f"The file is odd{PLACE}",
    MemoryError("Unable to allocate 3 GiB"): f"Unable to allocate 3 GiB{ROOM}",
    MemoryError(): f"there is not enough memory{ROOM}",
    RecursionError(
        "maximum depth."
    ): "something is nested too deeply (maximum depth); check the given files and settings.",
    CrivoError("One sentence."): "One sentence.",
}
RAISED = pytest.mark.parametrize(("error", "words"), TOLD.items(), ids=repr)
STOPPED = pytest.mark.parametrize(
    ("number", "word", "status"),
    [
        (signal.SIGINT, "interrupted", 130),
        (signal.SIGTERM, "terminated", 143),
        (signal.SIGHUP, "terminated", 143),
    ],
)


def run_command_that(monkeypatch: pytest.MonkeyPatch, raises: BaseException) -> object:
    """Return what a command exits with whose work raises something."""

    def work(*arguments: object) -> str:
        raise raises

    monkeypatch.setattr(bundle, "export_predictor", work)
    monkeypatch.setattr(sys, "argv", ["crivo", "export", "new.zip"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code


@pytest.fixture
def ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a project whose settings and environment are right."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stage, "read_params", lambda: None)
    monkeypatch.setattr(stage, "require_locked_environment", lambda: None)
    return tmp_path


def run_stage_that(raises: BaseException) -> object:
    """Return what a stage exits with that raises something."""

    def train(params: object) -> None:
        raise raises

    with pytest.raises(SystemExit) as ended:
        stage.run_stage(train)
    return ended.value.code


@RAISED
def test_a_command_ends_with_a_sentence(
    error: BaseException, words: str, monkeypatch: pytest.MonkeyPatch, ready: Path
) -> None:
    assert run_command_that(monkeypatch, error) == f"crivo: {words}"


def test_a_mistake_in_the_code_keeps_its_traceback(
    monkeypatch: pytest.MonkeyPatch, ready: Path
) -> None:
    def train(params: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stage.run_stage(train)
    with pytest.raises(ZeroDivisionError):
        run_command_that(monkeypatch, ZeroDivisionError())


@STOPPED
def test_a_stage_that_is_stopped_leaves_nothing_half_written(
    number: int, word: str, status: int, ready: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Table:
        def to_parquet(self, place: Path, index: bool) -> None:
            place.write_text("half")
            os.kill(os.getpid(), number)
            raise AssertionError

    Path("table.parquet").write_text("whole")

    def train(params: object) -> None:
        write_table(Path("table.parquet"), Table())  # type: ignore[arg-type]

    before = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    signal.signal(number, before)  # `nohup` ignores one of them
    with pytest.raises(SystemExit) as ended:
        stage.run_stage(train)
    assert ended.value.code == status
    assert signal.getsignal(number) == before
    kept = "finished stages are kept. `dvc repro` runs this one again."
    assert capsys.readouterr().err == f"train: {word}; {kept}\n"
    assert [path.read_text() for path in ready.iterdir()] == ["whole"]


def test_a_stopped_trial_leaves_the_advice_to_its_command(
    monkeypatch: pytest.MonkeyPatch, ready: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DVC_EXP_NAME", "slow")
    assert run_stage_that(KeyboardInterrupt()) == 130
    assert run_stage_that(KeyboardInterrupt("try again")) == 130
    assert capsys.readouterr().err == "train: interrupted\ntrain: interrupted; try again\n"


def test_crivo_logs_from_info_on_and_libraries_from_warnings_on() -> None:
    said = python("-c", SCRIPTS["logs"]).stderr.splitlines()
    assert said == ["crivo.run: said", "crivo.run: warning: said", "library: warning: said"]


def test_an_unknown_level_of_the_log_is_refused(
    monkeypatch: pytest.MonkeyPatch, ready: Path
) -> None:
    monkeypatch.setenv("CRIVO_LOG", "loud")
    words = "CRIVO_LOG is 'LOUD'; expected debug, info, warning or error."
    assert run_stage_that(ValueError()) == f"train: {words}"


def test_the_traceback_shows_with_debug(
    monkeypatch: pytest.MonkeyPatch, ready: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CRIVO_LOG", "debug")
    run_command_that(monkeypatch, OSError(errno.ENOSPC, "No space"))
    run_stage_that(CrivoError("One sentence."))
    run_stage_that(KeyboardInterrupt())
    assert capsys.readouterr().err.count("Traceback") == 3


@pytest.mark.parametrize(
    ("code", "heavy", "status"),
    [
        ("import crivo.runtime.stage", "pydantic", -signal.SIGINT),
        ("import crivo.cli", "zipfile", -signal.SIGINT),
        ("import crivo.cli", "typer", -signal.SIGINT),
        ("from crivo.cli import main; sys.argv = ['crivo', 'try']; main()", "pydantic", 130),
    ],
)
def test_ctrl_c_while_importing_shows_no_traceback(
    code: str, heavy: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / f"{heavy}.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)")
    done = python("-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}")
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    (line,) = done.stderr.splitlines()
    assert "interrupted" in line


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_an_output_that_takes_nothing_is_told_and_one_that_nobody_reads_is_not() -> None:
    read, write = os.pipe()
    os.close(read)
    ended = []
    for output in (os.open("/dev/full", os.O_WRONLY), write):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPTS["command"]], cwd=SRC, stdout=output,
            stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        os.close(output)
        ended.append((done.returncode, done.stderr))
    (full, (line, words)), closed = (ended[0][0], ended[0][1].split(": ", 1)), ended[1]
    assert (full, line) == (1, "crivo")
    assert "No space left on device" in words
    assert closed == (141, "")
