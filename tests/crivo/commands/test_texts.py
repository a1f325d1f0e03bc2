"""What commands print for people of results that others find."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from crivo.comparison.pruning import KeptExperiment, Pruned, RemovedExperiment, Undone
from crivo.comparison.recipes import RecipeVerdict
from crivo.comparison.result import Limits
from crivo.project.new import NewBlock
from crivo.project.start import Plan
from crivo.provenance.trace import Source, Trace
from crivo.provenance.verification import Metric, Moved, Verification
from crivo.repository.lock import LockedFile, Resolved
from crivo.sharing import Shared
from crivo.trials.learning_curve import Curve, Point
from crivo.trials.repetition import Repetition, RunOfRecipe

POINTS = (Point(0.7, 0.6, 0.8, 0.5, "even-fraction=0.5"), Point(0.75, 0.7, 0.8, 1.0, "even"))
CURVE = Curve("roc_auc", POINTS, Limits(0.05, -0.01, 0.11), "hardly")
SIDES = {"prepare": "both", "train": "ours", "plot": "theirs"}
RESOLVED = Resolved(SIDES, ("evaluate",), ("metrics/a.json",))
SHARED = Shared("trees", "refs/a", "hub", "store", "s3://b", 5, 1_240_000, 2, ("Push it.",), 1)
MOVED = (Moved("train", "m.skops", "1", "2"), Moved("evaluate", "a.csv", "3", None))
METRICS = tuple(Metric(f"m{number}", number, 0.5) for number in range(9))
VERIFIED = Verification("HEAD", "a1", "moved", "No.", MOVED, METRICS, (), ("Why.",), ("bad",))
PLAN = Pruned(False, (), (KeptExperiment("trees", "a star"),), 3, ("A note.",))
REMOVED = Pruned(False, (RemovedExperiment("flat", "f1", datetime(2024, 1, 1)),), (), 1, ())

SOURCE = Source("main", "commit", "c1" * 20, None, "Ana", datetime(2024, 1, 1), "Start")
INPUTS = {"a.csv": "d1" * 9}, {"seed": 1}, (), {"b.py": "e1"}, {"python": "3"}, ("verify", "repro")
MADE = Trace("main", SOURCE, True, *INPUTS)
TREES = replace(SOURCE, name="trees", kind="experiment", parent="b1", message="")
HELD = Trace(
    ".", TREES, False, *INPUTS, LockedFile("m", "f1", 1_234), "an output", (SOURCE,), False
)
RUNS = tuple(RunOfRecipe(0.7 + n / 100, 0.6, 0.8, f"seed {n}", f"a{n}") for n in range(2))
OTHER = (RecipeVerdict("roc_auc", 0.1, 0.01, 0.08, 0.12, "better"),)
REPEATED = Repetition("It is.", "seeds", "roc_auc", "a", RUNS[0], RUNS, OTHER, "b", None, "A note.")

TOLD = "a.csv:\n  9 rows\nLook at this first:\n  - a copy\nSet in params.yaml:\n  - id: key\n"
TABLE = Plan(["9 rows"], ["a copy"], {"seed": 1}, ("flights.dvc",), ("id: key",))

SAID = {
    "crivo.project.start.init_table": [
        ("start . --data a.csv --target y", TABLE, f"{TOLD}The file is in data/raw/table, tracked b"
         "y DVC; its settings are in params.yaml.\nColumns, costs and limits of an earlier table we"
         "re reset: `git diff params.yaml`.\nThe flights were removed: flights.dvc. Commit this too"
         ".\nCommit data/raw/table.dvc: "),
    ],
    "crivo.project.start.start": [
        ("start new/churn --data a.csv --target y", TABLE, f"{TOLD}The project is in new/churn, com"
         "mitted. Now run:\n  cd new/churn\n  make repro\n  make test\n"),
        ("start churn", None, "The project is in churn, committed. Now run:\n  cd churn\n  make r"),
    ],
    "crivo.project.upgrade.upgrade": [
        ("upgrade", ["params.yaml"], "Look at it with `git diff HEAD`, commit it, then run: make r"
         "epro\nTo undo it before you commit: git reset --hard\nYou and crivo changed the same "),
        ("upgrade --dry-run", [], "Nothing was changed.\n"),
    ],
    "crivo.repository.lock.resolve_lock": [
        ("resolve", RESOLVED, "dvc.lock is resolved:\n  prepare: equal on both sides\n  train: "
         "from ours\n  plot: from theirs\n  evaluate: left to `dvc repro`\n`dvc repro` writes "
         "these again: metrics/a.json\nNow run `dvc repro`, which"),
    ],
    "crivo.sharing.share": [
        ("share trees", SHARED, "trees is shared:\n  git   refs/a is on hub\n  data  5 files, 1.2 "
         "MB, are in store (s3://b): 2 uploaded, 3 already there\n  count 1 trial, which every "
         "clone that fetches them counts\nnote: Push it.\nA colleague runs `crivo fetch`, then "
         "`crivo compare trees`. To adopt it: "
         "`dvc exp pull hub trees`, then `dvc exp apply trees`."),
    ],
    "crivo.provenance.trace.trace": [
        ("trace main", MADE, "commit main\n\nmade by      commit main (c1c1c1c), Ana, 2024-01-01 0"
         "0:00 UTC\nmessage      “Start”\ncurrent      HEAD records it\ndata         a.csv d1d1d1"
         "d1d1d1\nsettings     seed=1\nchanged      everything: it is the first commit\ncode       "
         "  commit c1c1c1c: b.py\nenvironment  python 3\nreproduce    verify\nor here      repro"),
        ("trace .", HELD, "m f1 (1,234 bytes), an output\n\nfirst in     experiment trees (c1c1c1c)"
         ", Ana, 2024-01-01 00:00 UTC\nalso in      commit main (c1c1c1c)\ncurrent      HEAD record"
         "s something else; the workspace lacks it\ndata         a.csv d1d1d1d1d1d1\nsettings     s"
         "eed=1\nchanged      nothing that a stage reads\n"),
    ],
    "crivo.provenance.verification.verify": [
        ("verify", VERIFIED, "No.\n" + "".join(f"  m{n}: {n} → 0.5\n" for n in range(8)) + "  1 mo"
         "re metrics\n  Moved, in the pipeline's order: train, evaluate.\n  | bad\n  → Why.\n"),
    ],
    "crivo.comparison.pruning.undo_pruning": [
        ("prune --undo", Undone(("a", "c"), ("b",)), "Restored 2 experiments with metrics: a, c."
         "\nNot restored, because their names are taken: b. Rename "
         "the others:\n  dvc exp rename b NEW_NAME\n"),
    ],
    "crivo.comparison.pruning.plan_pruning": [
        ("prune x", PLAN, "There are no experiments to remove.\nSelected, but kept:\n  trees: a "
         "star\nA note.\nNothing was removed.\n"),
        ("prune x --dry-run", REMOVED, "1 experiment to remove; 1 stay:\n  flat\nNothing was "),
    ],
    "crivo.project.new.new_block": [
        ("new model x", NewBlock((Path("x.py"), Path("params.yaml")), ("git add x", "test")),
         "wrote x.py\nwrote params.yaml\n\nIt works as it is. Fill in the parts marked FILL IN in "
         "x.py, then:\n  git add x\n  test\n"),
    ],
    "crivo.trials.repetition.repeat": [
        ("repeat a --seeds 2", REPEATED, "It is.\n\nseeds                      roc_auc ±      exper"
         "iment\nseed 0                     0.700 ±0.100   a0\nseed 1                     0.710 ±0."
         "100   a1\n\nmetric                                    vs b                        verdict"
         "\nroc_auc                                   +0.100 [+0.080, +0.120]     better\n\nA no"),
    ],
    "crivo.trials.learning_curve.learning_curve": [
        ("repeat even --fractions 0.5", CURVE, "training rows  roc_auc and interval  experiment\n"
         "         50 %  0.700 [0.600, 0.800]  even-fraction=0.5\n        100 %  0.750 [0.700, 0.80"
         "0]  even\n\nMore training rows would hardly help: at the end of the curve, twice as "),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("function", "command", "found", "text"),
    [(function, *one) for function, several in SAID.items() for one in several],
)
def test_a_result_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, function: str, command: str, found: object, text: str
) -> None:
    monkeypatch.setattr(function, lambda *_, **__: found)
    done = CliRunner().invoke(app, command.split())
    assert done.output.startswith(text)
    fails = isinstance(found, Verification) or found == ["params.yaml"]
    assert done.exit_code == bool(getattr(found, "taken", fails))
