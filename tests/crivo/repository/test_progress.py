"""Long work says how far it is and how long it will take."""

import io
import re
import sys
import time
from pathlib import Path

import pytest

from crivo.repository import progress, running
from crivo.repository.git import Repository
from crivo.repository.progress import each, one_line, steps


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def level(caplog: pytest.LogCaptureFixture) -> None:
    """Log as a command does."""
    caplog.set_level("INFO", "crivo")


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, delay: float = 0) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "DELAY", delay)
    with steps(2, "Running") as step:
        time.sleep(0.15)
        step()
    return stream.getvalue()


def test_a_terminal_sees_the_count_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert re.search(r"Running.* 1/2, \d\d:\d\d left", shown(terminal := Terminal(), monkeypatch))
    assert [time.sleep(0.15) or one for one in each([3, 1, 2], "Reading")] == [3, 1, 2]
    assert re.search(r"Reading.* 2/3, \d\d:\d\d left", terminal.getvalue())


def test_a_run_counts_its_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(progress, "DELAY", 0)
    told = "import time\nfor one in 'abc':\n time.sleep(0.15)\n print(f\"Running stage '{one}':\")"
    monkeypatch.setattr(running, "DVC", (sys.executable, "-u", "-c", told))
    assert running.run_pipeline(Repository(tmp_path), 3) is None
    assert re.search(r"Running stages.* 2/3", terminal.getvalue())
    assert [*re.findall(r" (\d)/3", terminal.getvalue())][-1] == "2"
    last = [str(number) for number in range(2, 14)]
    for first, stage in (("", ""), ("print(\"Running stage 'train':\")\n", "train")):
        told = f"{first}for one in range(14):\n print(one, end=' \\n\\n')\nraise SystemExit(1)"
        monkeypatch.setattr(running, "DVC", (sys.executable, "-u", "-c", told))
        assert running.run_pipeline(Repository(tmp_path), 3) == (stage, (*last,))


def test_quick_work_a_log_and_who_wants_it_quiet_see_nothing(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "left" not in shown(Terminal(), monkeypatch, delay=60)
    assert shown(io.StringIO(), monkeypatch) == ""
    caplog.set_level("WARNING", "crivo")
    assert shown(Terminal(), monkeypatch) == ""


def test_a_line_takes_the_place_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with one_line() as show:
        show("1 of 2 done\x1b[2J")
        show("2 of 2 done")
    shown = r"1 of 2 done\x1b[2J", "2 of 2 done".ljust(18), " " * 11, ""
    assert terminal.getvalue() == "\r\r" + "\r".join(shown)
