"""What `dvc.lock` says, as objects."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.repository import lock as locks
from crivo.repository.lock import LockedFile, LockedStage, lock_of, read_lock, resolve_lock
from tests.crivo.experiments.repository import Project

# `evaluate` stands first in the file, and needs the others.
LOCK = """
stages:
  evaluate:
    deps: [{path: data/features/valid.parquet, md5: d1}, {path: models/model.skops, md5: d2}]
    outs: [{path: metrics/evaluation, md5: d3.dir}]
  train:
    cmd: python src/train.py
    deps: [{path: src/train.py, md5: c1}, {path: data/features}]
    params:
      params.yaml:
        seed: 13
        models.linear: {C: 1.0}
    outs: [{path: models/model.skops, md5: d2, size: 12}]
  featurize:
    deps: [{path: data/raw/flights, md5: r1.dir}]
    params:
    outs: [{path: data/features/valid.parquet, md5: d1, size: 0}]
"""
CYCLE = (
    "{a: {deps: [{path: b}], outs: [{path: c}]}, b: {deps: [{path: c/x}], outs: [{path: b}]}}",
    "has stages that need each other: a, b, a",
)


def test_stages_come_after_those_whose_outputs_they_read_with_settings_of_one_level() -> None:
    lock = read_lock(LOCK)
    commands = {name: one.command for name, one in lock.stages.items()}
    assert [*commands.items()] == [
        ("featurize", ""), ("train", "python src/train.py"), ("evaluate", ""),
    ]  # fmt: skip
    code, data = LockedFile("src/train.py", "c1"), LockedFile("data/features", "")
    assert lock.stages["train"] == LockedStage(
        "train", "python src/train.py", {code.path: code, data.path: data},
        {"models/model.skops": LockedFile("models/model.skops", "d2", 12)},
        {"seed": 13, "models.linear.C": 1.0},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"), ("1:30", "1:30"), ("true", True), ("1e-5", 1e-5), ("0o17", 15),
        ("'2013-09-01'", "2013-09-01"), ("~", None),
    ],
)  # fmt: skip
def test_settings_are_those_that_dvc_recorded(written: str, value: object) -> None:
    text = f"stages:\n  train:\n    params:\n      params.yaml:\n        a: {written}\n"
    assert read_lock(text).stages["train"].settings == {"a": value}


def test_sources_makers_and_parts_are_found() -> None:
    lock = read_lock(LOCK)
    # data/features is a folder that no stage names as its output.
    assert set(lock.sources) == {"src/train.py", "data/raw/flights", "data/features"}
    names = [getattr(lock.maker(path), "name", None)
             for path in ("metrics/evaluation/a.csv", "models/model.skops", "models")]  # fmt: skip
    assert names == ["evaluate", "train", None]
    assert list(lock.up_to("train").stages) == ["featurize", "train"]
    assert list(lock_of({}).up_to("train").stages) == []


@pytest.mark.parametrize(
    ("stages", "why"),
    [
        ("[1]", "is invalid (stages: Input should be a valid dictionary)"),
        ("[1", "isn't valid YAML: "),
        ("{a: {outs: [{}]}}", "is invalid (stages.a.outs.0.path: Field required)"),
        ("{a: {outs: [{path: x, md5: ../x}]}}", "is invalid (stages.a.outs.0.md5: String should"),
        ("{a: {outs: [{path: x, size: -1}]}}", "is invalid (stages.a.outs.0.size: Input should"),
        ("{a: {outs: [{path: x, size: '1'}]}}", "is invalid (stages.a.outs.0.size: Input should"),
        CYCLE,
    ],
)
def test_a_broken_lock_is_a_sentence(stages: str, why: str) -> None:
    with pytest.raises(CrivoError) as failed:
        read_lock(f"stages: {stages}")
    assert str(failed.value).startswith(f"dvc.lock can't be read: it {why}")


def locked(**versions: str) -> str:
    """Return a lock whose stages have outputs of these versions."""
    outs = {name: [{"path": f"{name}.csv", "md5": one}] for name, one in versions.items()}
    return json.dumps({"stages": {name: {"cmd": name, "outs": outs[name]} for name in outs}})


def merged(project: Project, *sides: Mapping[str, str]) -> Path:
    """Merge two sides of a start, whose files are the first; return the folder."""
    base = project.commit(sides[0])
    for branch, files in zip(("theirs", "main"), sides[:0:-1], strict=True):
        project.commit({**sides[0], **files}, ref=f"refs/heads/{branch}", parent=base)
    project.git("reset", "--quiet", "--hard")
    with pytest.raises(AssertionError):
        project.git("merge", "--quiet", "theirs")
    return project.folder


def test_each_stage_of_a_lock_in_conflict_is_that_of_the_side_which_changed_it(
    project: Project,
) -> None:
    kept = {f"{name}.csv": "kept by git" for name in ("score", "fine")}
    fine, both = hashlib.md5(b"kept by git").hexdigest(), {"prepare": "1", "score": "1"}
    base = locked(**both, fine="1", train="1", evaluate="1", plot="1", gone="1")
    ours = locked(**both, fine=fine, train="1", evaluate="3", plot="4")
    theirs = locked(**both, fine="1", train="2", evaluate="2", plot="1", gone="1")
    scores = [{"evaluate.csv": text} for text in ("base", "ours", "theirs")]
    folder = merged(
        project,
        *({**kept, "dvc.lock": lock, **one}
          for lock, one in zip((base, ours, theirs), scores, strict=True)),
    )  # fmt: skip
    sides = {"prepare": "both", "fine": "ours", "train": "theirs", "plot": "ours"}
    left_out = ("score", "evaluate", "gone")
    assert resolve_lock(folder) == locks.Resolved(sides, left_out, ("evaluate.csv",))
    text = (folder / "dvc.lock").read_text()
    assert text.startswith("schema: '2.0'\nstages:\n  prepare:\n    cmd: prepare\n")
    assert {name: one.outs[f"{name}.csv"].md5 for name, one in read_lock(text).stages.items()} == {
        "prepare": "1", "fine": fine, "train": "2", "plot": "4",
    }  # fmt: skip
    assert project.git("diff", "--name-only", "--diff-filter=U") == "evaluate.csv"


def test_a_conflict_that_can_not_be_resolved_is_a_sentence(project: Project) -> None:
    start = {"params.yaml": "a: 1\n", "dvc.lock": locked(train="1")}
    ours, theirs = ({"params.yaml": f"a: {n}\n", "dvc.lock": locked(train=n)} for n in "23")
    with pytest.raises(CrivoError, match=r"^Resolve these first, .* are right: params.yaml\. Then"):
        resolve_lock(merged(project, start, ours, theirs))
    broken = {"dvc.lock": "- a"}
    with pytest.raises(
        CrivoError, match=r"^One side's dvc.lock can't be read \(.*\); take the oth"
    ):
        resolve_lock(merged(project, start, {"dvc.lock": locked(train="2")}, broken))


def test_a_lock_that_both_sides_have_added_keeps_what_is_the_same(project: Project) -> None:
    sides = ({"dvc.lock": locked(train="1", plot=one)} for one in "12")
    found = resolve_lock(merged(project, {"a": "x"}, *sides))
    assert found == locks.Resolved({"train": "both"}, ("plot",), ())
