"""What one fork has worked out is there for the next ones, by its key."""

from __future__ import annotations

import sys
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
        "['c']",  # `evaluate` has used it last
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
    monkeypatch.setattr(handed_on, "_known", {})
    monkeypatch.setattr(handed_on, "_used", {})
    assert [EvaluatedRows(table).sample() for table in tables] == fresh
    handed_on.hold(handed_on.used())
    assert [EvaluatedRows(table).sample() for table in tables] == fresh
    assert fresh[0] != fresh[1]
