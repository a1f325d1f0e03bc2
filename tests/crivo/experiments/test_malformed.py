"""Experiments of every wrong shape: each is refused with its reason, and the others go on.

All of them lie in one repository, beside a good one. They reach a clone with `git fetch`, from
anybody.
"""

import json
from pathlib import Path

import pandas as pd
import pytest

from crivo.comparison.compare import compare
from crivo.comparison.result import ComparisonResult
from crivo.core.errors import CrivoError
from crivo.provenance.trace import trace
from tests.crivo.experiments.repository import Project, evaluated, settings
from tests.crivo.experiments.tried import GOOD, MAIN, refused

PARAMS, LOCK = "params.yaml", "dvc.lock"
SLICES = "metrics/evaluation/slices.csv"
SLICE = "slice,kind,verdict,rows,roc_auc,roc_auc_low,roc_auc_high\n"
# What no file of ours holds; `tests/crivo/core/test_parsing.py` has what no format can hold. Those
# that are fine say less than they should, and nothing false.
SHAPES = json.loads(Path(__file__).with_name("malformed.json").read_text(encoding="utf-8"))
BROKEN, FINE = SHAPES["refused"], SHAPES["fine"]
WRITTEN = {"BINARY": bytes(range(256)), "DEEP": "[" * 200_000}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> ComparisonResult:
    """Give the comparison of a good experiment among all the others."""
    project = Project(tmp_path_factory.mktemp("crowded") / "project")
    project.commit(MAIN)
    project.trial("slow", GOOD)
    for number, (name, (path, content)) in enumerate((BROKEN | FINE).items()):
        base = evaluated(
            0.71, 0.001, log_loss=0.4, settings=settings(seed=number), predictions=name
        )
        (place,) = [one for one in (*base, SLICES) if one.endswith(path)]
        project.trial(name, {**base, SLICES: SLICE, place: WRITTEN.get(content, content)})
    return compare(folder=project.folder)


def test_the_good_ones_are_compared_whatever_lies_beside_them(
    found: ComparisonResult, tried: Project
) -> None:
    assert {*found.table.index} == {"slow", "main", *FINE}
    alone = compare(["slow"], folder=tried.folder)
    same = ["changed", "value", "low", "high", "difference"]
    pd.testing.assert_frame_equal(found.table.loc[["slow"], same], alone.table[same])
    pd.testing.assert_frame_equal(found.metrics.loc[["slow"], same[1:]], alone.metrics[same[1:]])


def test_each_broken_one_is_refused_with_its_reason(found: ComparisonResult) -> None:
    told = "".join(f"{name}: {refused(found)[name].reason}\n" for name in BROKEN)
    assert told == Path(__file__).with_name("malformed.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [PARAMS, LOCK])
def test_a_commit_is_traced_from_a_broken_one(project: Project, path: str) -> None:
    project.commit(MAIN)
    project.commit({**MAIN, path: b"\xff"}, parent="main^0")
    project.commit({**GOOD}, parent="main^0")
    (project.folder / ".dvc").mkdir()
    found = trace("HEAD", project.folder)
    if path == PARAMS:
        assert found.changed[0].startswith("unknown: params.yaml of ")
        assert trace("HEAD~1", project.folder).changed[0].startswith("unknown: ")
    else:
        assert found.changed[0].endswith("records no results")
        with pytest.raises(CrivoError, match="HEAD~1 can't be traced: its dvc.lock"):
            trace("HEAD~1", project.folder)


def test_references_that_name_no_experiment_disturb_nothing(tried: Project) -> None:
    head, tree = tried.git("rev-parse", "HEAD"), tried.git("rev-parse", "HEAD^{tree}")
    start = f"refs/exps/{head[:2]}/{head[2:]}"
    tried.git("update-ref", f"{start}/blob", tried.git("hash-object", "-w", "--stdin", given="hi"))
    tried.git("update-ref", f"{start}/tree", tree)
    tried.git("update-ref", f"refs/exps/{head[:2]}/{head[2:5]}/short", head)
    found = compare(folder=tried.folder)
    assert "slow" in found.table.index
    assert "blob" in refused(found)


def test_a_moment_beyond_all_calendars_is_the_last_one(tried: Project) -> None:
    tried.clock = 10**14
    tried.trial("late", GOOD)
    assert compare(folder=tried.folder).table.loc["late", "when"].year == 9999
