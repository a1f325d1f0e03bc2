"""What commands print for people of results that others find."""

import json
import re
from dataclasses import replace
from datetime import datetime
from math import nan
from pathlib import Path
from typing import Any

import pytest

from crivo.checks.review import Checked, CheckResult
from crivo.comparison.limits import CheckedLimit
from crivo.comparison.prediction_diff import ChangedSlice, PredictionDiff
from crivo.comparison.pruning import KeptExperiment, Pruned, RemovedExperiment, Undone
from crivo.comparison.recipes import RecipeVerdict
from crivo.comparison.result import ComparisonResult, Limits
from crivo.core.findings import Finding
from crivo.project.new import NewBlock
from crivo.project.start import Plan
from crivo.provenance.trace import Source, Trace
from crivo.provenance.verification import Metric, Moved, Verification
from crivo.records.searches import SearchTrial
from crivo.repository.lock import LockedFile, Resolved
from crivo.sharing import Shared
from crivo.trials.confirmation import Confirmed
from crivo.trials.learning_curve import Curve, Point
from crivo.trials.repetition import Repetition, RunOfRecipe
from crivo.trials.results import SearchResult
from tests.crivo.cli import invoke

POINTS = (Point(0.7, 0.6, 0.8, 0.5, "even-fraction=0.5"), Point(0.75, 0.7, 0.8, 1.0, "even"))
CURVE = Curve("roc_auc", POINTS, Limits(0.05, -0.01, 0.11), "hardly")
SIDES = {"prepare": "both", "train": "ours", "plot": "theirs"}
RESOLVED = Resolved(SIDES, ("evaluate",), ("metrics/a.json",))
SHARED = Shared("trees", "refs/a", "hub", "store", "s3://b", 5, 1_240_000, 2, ("Push it.",), 1)
MOVED = (Moved("train", "m.skops", "1", "2"), Moved("evaluate", "a.csv", "3", None))
SAME = Verification("HEAD", "a1", "equal", "Yes.")
METRICS = tuple(Metric(f"m{number}", number, 0.5) for number in range(9))
VERIFIED = Verification("HEAD", "a1", "moved", "No.", MOVED, METRICS, (), ("Why.",), ("bad",))
KEPT = tuple(KeptExperiment(f"trees-{number}", "a star") for number in range(22))
PLAN = Pruned(False, (), KEPT, 3, ("A note.",))
FLAT = tuple(RemovedExperiment(f"flat-{n}", "f1", datetime(2024, 1, 1)) for n in range(22))
REMOVED = Pruned(False, FLAT, (), 1, ())

SOURCE = Source("main", "commit", "c1" * 20, None, "Ana", datetime(2024, 1, 1), "Start")
INPUTS = (
    {f"{'long' * 20}.csv": "d1" * 9},
    {"seed": 1},
    (),
    {"b.py": "e1"},
    {"python": "3"},
    ("verify", "repro"),
)
MADE = Trace("main", SOURCE, True, *INPUTS)
TREES = replace(SOURCE, name="trees", kind="experiment", parent="b1", message="")
HELD = Trace(
    ".", TREES, False, {f"{n}.csv": "d1" * 9 for n in range(6)}, *INPUTS[1:2],
    tuple(f"change {n}" for n in range(9)), *INPUTS[3:], LockedFile("m", "f1", 1_234), "an output",
    9 * (SOURCE,), False,
)  # fmt: skip
RUNS = tuple(RunOfRecipe(0.7 + n / 100, 0.6, 0.8, f"seed {n}", f"a{n}") for n in range(2))
OTHER = (RecipeVerdict("roc_auc", 0.1, 0.01, 0.08, 0.12, "better"),)
REPEATED = Repetition("It is.", "seeds", "roc_auc", "a", RUNS[0], RUNS, OTHER, "b", None, "A note.")

FAILED = SearchResult("failed", "None.", False, "a", False, "tpe", 1, notes=("Why.",))
STATES = ("done", "done", "known", "failed")
TRIED = tuple(SearchTrial(n, {}, state) for n, state in enumerate(STATES))
COMPARED = ComparisonResult("It is.", "main", "r2", "valid", 3, None, (), (), (), (), ("Next.",), 0)
FOUND_OUT = replace(FAILED, outcome="better", error=None, trials=TRIED, comparison=COMPARED)
CONFIRMED = Confirmed("It held.", "confirmed", COMPARED, COMPARED, ("Commit it.",))
ERRORS = tuple(Finding("S001", kind, "a.csv", "is odd") for kind in ("error", "note", "note"))
CHECKS = (
    CheckResult("L000", "Title 0", "muted", "a reason", ERRORS[:1]),
    CheckResult("L001", "Title 1", "passed", "", ()),
    CheckResult("L002", "Title 2", "not applicable", "no result; run `dvc repro`", ()),
    CheckResult("L003", "Title 3", "muted", "another", ()),
)
LIMITS = (
    CheckedLimit("roc_auc", "at least 0.7", 0.74123, "holds", 2),
    CheckedLimit("size", "at most 1", None, "not measured", 1),
)
CHECKED = Checked(ERRORS, CHECKS, LIMITS, ("Few rows.",))
ROW = {"id": "1", "change": "nearer", "target": 200_000, "one": 212345.6, "other": 0.12345}
RAW: dict[str, Any] = {"price": 12345.6, "year": 2013.0, "low": -0.123456}
RAW |= {"day": "2024-05-01 00:00:00", **{f"c{number}": number for number in range(11)}}
ENDS = ((0.1, 0.5), (0.0, 0.5), (-0.5, 0.0))
SLICES = tuple(ChangedSlice(0.3, *ends, f"country = {ends}", 9_000) for ends in ENDS)
MADE_SO = tuple(f"setting s{number}: 1 → 2" for number in range(13))
NUMBERS = PredictionDiff(
    "a", "b", MADE_SO, {"nearer": 1_000}, Limits(0.5, nan, nan), (ROW | RAW,), SLICES, "€", {}
)
CLASSES = replace(
    NUMBERS, made=(), counts={"fixed": 2, "broken": 1}, net=Limits(-0.3, -0.4, -0.2), slices=(),
    rows=tuple(ROW | RAW | {"change": one, "target": True} for one in ("fixed", "broken")), unit="",
    classes={"True": "late"},
)  # fmt: skip
TABLE = Plan(["9 rows"], ["a copy"], {"seed": 1}, ("flights.dvc",), ("id: key",))
BLOCK = NewBlock((Path("x.py"), Path("params.yaml")), ("git add x", "test"))

NOTHING, UPGRADED, UNDONE, PASSED = (), ["params.yaml"], Undone(("a", "c"), ("b",)), Checked((), ())
# Each command with what a function returns for it, and what it then prints.
TEXT = Path(__file__).with_name("told.txt").read_text(encoding="utf-8")
TOLD = re.findall(
    r"^\$ crivo (.*)\n# (.*) returns (.*)\n((?:(?!\$ crivo ).*\n)*)", TEXT, re.MULTILINE
)


@pytest.mark.parametrize(("command", "function", "found", "told"), TOLD)
def test_a_result_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, command: str, function: str, found: str, told: str
) -> None:
    monkeypatch.setattr(function, lambda *_, **__: globals()[found])
    done = invoke(*command.split())
    assert done.output + f"[{done.exit_code}]\n" * bool(done.exit_code) == told
    if "--json" in invoke(command.split()[0], "--help").output:
        document = json.loads(invoke(*command.split(), "--json").stdout)["command"]
        assert {*document.split()} <= {*command.split()}
