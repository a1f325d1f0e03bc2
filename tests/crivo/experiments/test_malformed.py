"""Experiments of every wrong shape: each is refused with its reason, and the others go on.

All of them lie in one repository, beside a good one. They reach a clone with `git fetch`, from
anybody.
"""

import json
from typing import Any

import pandas as pd
import pytest

from crivo.comparison.compare import compare
from crivo.comparison.result import ComparisonResult
from crivo.core.errors import CrivoError
from crivo.provenance.trace import trace
from tests.crivo.experiments.repository import Project, evaluated, settings
from tests.crivo.experiments.tried import GOOD, MAIN, refused

PARAMS, LOCK = "params.yaml", "dvc.lock"
ABOUT, INTERVALS, JACKKNIFE, SLICES = (
    f"metrics/evaluation/{name}"
    for name in ("evaluation.json", "intervals.csv", "jackknife.csv", "slices.csv")
)
KNIFE = GOOD[JACKKNIFE]
SLICE = "slice,kind,verdict,rows,roc_auc,roc_auc_low,roc_auc_high\n"
INTERVAL = "metric,of,value,se,low,high\n"
BINARY = bytes(range(256))


def about(**values: Any) -> str:
    return json.dumps(json.loads(GOOD[ABOUT]) | values)


def lock(**train: Any) -> str:
    return json.dumps({"stages": {"train": train}})


def metric(**facts: Any) -> dict[str, Any]:
    usual = {"direction": "higher", "bounds": [0, 1], "best": None, "interval": True}
    return {"roc_auc": usual | {"definition": "1", "description": ""} | facts}


# What no file of ours holds; `tests/crivo/core/test_parsing.py` has what no format can hold.
SHAPES: dict[str, list[str | bytes]] = {
    PARAMS: [
        "", BINARY, "[1]", "[" * 200_000, "seed: one", "splitter: [a]",
        "evaluator: standard\nevaluators: {standard: {margin: -1}}",
    ],
    LOCK: [
        "", BINARY, "stages: [1]", lock(outs=[{}]), lock(deps={"path": "a"}), lock(params=[1]),
        lock(outs=[{"path": "a", "md5": "../../../etc/passwd"}]),
        lock(outs=[{"path": "models/model.skops", "size": -1}]),
    ],
    ABOUT: [
        "", BINARY, "[]", about(rows=None), about(split="train"), about(task="x"),
        about(primary="nothing"), about(n_rows=-1), about(model_mb=float("nan")),
        about(advised_block="x"), about(n_clusters="x"), about(metrics=metric(direction="up")),
        about(metrics=metric(bounds=[0])),
    ],
    INTERVALS: [
        "", BINARY, "metric,of\nroc_auc,model\n", INTERVAL + "roc_auc,model,.7,.1,.6,.8\n" * 2,
        INTERVAL + "roc_auc,model,inf,.1,.6,.8\n", INTERVAL + "rmse,model,.7,.1,.6,.8\n",
    ],
    JACKKNIFE: [
        "", BINARY, "cluster,roc_auc\n", "cluster,a,a\n1,2,3\n", KNIFE + "9,0.7,0.4\n",
        KNIFE + KNIFE.splitlines()[-1] + "\n", KNIFE.replace("0.72", "1e200", 1),
    ],
}  # fmt: skip
BROKEN = {
    f"{path.rpartition('/')[2]}-{number}": (path, content)
    for path, contents in SHAPES.items()
    for number, content in enumerate(contents)
}
SAID = {
    "params.yaml-2": "holds no settings",
    "dvc.lock-3": "stages.train.outs.0.path: Field required",
    "evaluation.json-2": "the whole: Input should be a valid dictionary",
    "evaluation.json-6": "lack its primary metric, nothing",
    "intervals.csv-2": "lacks columns: value, se, low, high",
    "intervals.csv-3": "has the metric 'roc_auc' twice",
    "jackknife.csv-2": "has no rows",
    "jackknife.csv-5": "has the cluster '8' twice",
    "jackknife.csv-6": "holds inf, which isn't a result",
}
# These say less than they should, and nothing false.
FINE: dict[str, tuple[str, str | bytes]] = {
    "slices-binary": (SLICES, BINARY),
    "slices-text": (SLICES, SLICE + "a = b,column,worse,many,.7,.6,.8\n"),
    "slices-twice": (SLICES, SLICE + "a = b,column,worse,9,.7,.6,.8\n" * 2),
    "params-nothing-chosen": (PARAMS, "model: [1]"),
    "lock-no-hashes": (LOCK, lock(outs=[{"path": "a"}], deps=None)),
    "jackknife-gaps": (JACKKNIFE, KNIFE.replace("0.72", "", 1)),
    "about-more": (ABOUT, about(more=[{}])),
}


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
        project.trial(name, {**base, SLICES: SLICE, path: content})
    return compare(folder=project.folder)


def test_the_good_ones_are_compared_whatever_lies_beside_them(
    found: ComparisonResult, tried: Project
) -> None:
    assert {*found.table.index} == {"slow", "main", *FINE}
    alone = compare(["slow"], folder=tried.folder)
    same = ["changed", "value", "low", "high", "difference"]
    pd.testing.assert_frame_equal(found.table.loc[["slow"], same], alone.table[same])
    pd.testing.assert_frame_equal(found.metrics.loc[["slow"], same[1:]], alone.metrics[same[1:]])


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_is_refused_with_its_reason(found: ComparisonResult, name: str) -> None:
    path, _ = BROKEN[name]
    reason = refused(found)[name].reason
    assert reason.startswith("evaluation unknown: its ") or "no other metric" in reason
    assert path in reason or "primary metric" in reason
    assert SAID.get(name, "") in reason
    assert len(reason) < 400


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
