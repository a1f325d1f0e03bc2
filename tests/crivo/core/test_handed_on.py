"""What one fork has worked out is there for the next ones, by its key."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from crivo.core import handed_on
from crivo.core.predictions import EvaluatedRows
from crivo.repository.stage_process import StageProcess

SCRIPT = """\
import sys
from crivo.core.handed_on import once
def work_out():
    print("worked out", end=" ")
    return sys.argv[2].split(",")
print(once(sys.argv[1], work_out), flush=True)
if sys.argv[3] == "fails":
    sys.exit(1)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_a_fork_finds_what_an_earlier_one_that_ended_well_has_worked_out(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    process, lines = StageProcess(tmp_path, {"PYTHONPATH": None}), list[str]()
    for name in ("train", "evaluate"):
        (tmp_path / f"src/{name}.py").write_text(SCRIPT)
    commands = (
        "train one a,b fails",
        "train one c ends",
        "evaluate two d ends",
        "train one e ends",
        "evaluate one f ends",
        "train three g ends",
        "train one h ends",
    )
    for command in commands:
        script, *words = command.split()
        process.run(f"python src/{script}.py {' '.join(words)}", {}, lines.append)
    process.close()
    assert [line.strip() for line in lines] == [
        "worked out ['a', 'b']",
        "worked out ['c']",  # the first one failed
        "worked out ['d']",
        "['c']",
        "['c']",  # by whatever script
        "worked out ['g']",
        "['c']",
    ]


def test_elsewhere_nothing_is_remembered() -> None:
    assert [handed_on.once("key", lambda: "one"), handed_on.once("key", lambda: "two")] == [
        "one",
        "two",
    ]
    assert not handed_on.found("key")


def test_samples_of_other_rows_are_other_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they were remembered."""
    tables = [
        pd.DataFrame({"id": ["a", "b"], "target": target, "cluster": 0, "weight": 1.0})
        for target in (["x", "y"], ["y", "x"])
    ]
    fresh = [EvaluatedRows(table).sample() for table in tables]
    remember(monkeypatch)
    assert [EvaluatedRows(table).sample() for table in tables] == fresh
    handed_on.keep(*handed_on.used())
    assert [EvaluatedRows(table).sample() for table in tables] == fresh
    assert fresh[0] != fresh[1]


def remember(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process remember, for the time of a test."""
    for name in ("_known", "_new", "_found"):
        monkeypatch.setattr(handed_on, name, {})
    monkeypatch.setattr(handed_on, "_taken", 0)


def test_what_was_used_last_stays_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    remember(monkeypatch)
    monkeypatch.setattr(handed_on, "ROOM", 10)
    handed_on.keep({"a": "123", "b": "123"}, [])
    handed_on.keep({}, ["a", "never known"])
    handed_on.keep({"c": ["12", "3"]}, [])
    assert [name for name in "abc" if handed_on.found(name)] == ["a", "c"]
    handed_on.keep({"d": "123456789"}, [])
    assert [name for name in "abcd" if handed_on.found(name)] == ["d"]


def test_a_process_tells_what_is_new_what_it_found_and_no_more_than_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remember(monkeypatch)
    monkeypatch.setattr(handed_on, "ROOM", 20)
    handed_on.keep({"known": "1"}, [])
    assert handed_on.once("known", lambda: "2") == "1"
    assert handed_on.once("sure", lambda: True) is True
    assert handed_on.once("large", lambda: "x" * 16) == "x" * 16
    assert handed_on.once("new", lambda: "3") == "3"
    assert handed_on.used() == ({"sure": True, "new": "3"}, ["known"])
    values = [handed_on.once("large", lambda: "y"), handed_on.once("large", lambda: "z")]
    assert values == ["y", "y"], "it wasn't kept, and now there is room"


def test_threads_may_ask_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """scikit-learn finds the bins of several columns at once."""
    remember(monkeypatch)
    keys = [str(number) for number in range(2_000)]

    def ask(key: str) -> str:
        return handed_on.once(key, lambda: key)

    with ThreadPoolExecutor(8) as threads:
        assert [*threads.map(ask, keys)] == keys
    assert handed_on.used() == (dict(zip(keys, keys, strict=True)), [])
    assert handed_on._taken == 2 * sum(map(len, keys))
