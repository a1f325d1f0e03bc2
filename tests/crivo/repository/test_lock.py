"""What `dvc.lock` says, as objects."""

import json

import pytest

from crivo.core.errors import CrivoError
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
    deps: [{path: src/train.py, md5: c1}, {path: data/features, md5: d4.dir}]
    params:
      params.yaml:
        seed: 13
        models.linear: {C: 1.0}
    outs: [{path: models/model.skops, md5: d2, size: 12}]
  featurize:
    deps: [{path: data/raw/flights, md5: r1.dir}]
    params:
    outs: [{path: data/features/valid.parquet, md5: d1, size: 3}]
"""

CYCLE = (
    "stages: {a: {deps: [{path: b}], outs: [{path: c}]}, b: {deps: [{path: c}], outs: [{path: b}]}}"
)


def test_stages_come_after_those_whose_outputs_they_read_with_settings_of_one_level() -> None:
    lock = read_lock(LOCK)
    assert list(lock.stages) == ["featurize", "train", "evaluate"]
    code, data = LockedFile("src/train.py", "c1"), LockedFile("data/features", "d4.dir")
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


@pytest.mark.parametrize("text", ["", "stages: [1]", "a: {", "stages: {a: {outs: [{}]}}", CYCLE])
def test_a_broken_lock_is_a_sentence(text: str) -> None:
    with pytest.raises(CrivoError, match=r"dvc.lock can't be read: it .*; restore it with"):
        read_lock(text)


def locked(**versions: int) -> dict[str, str]:
    """Return a lock whose stages have outputs of these versions, and a result that git keeps."""
    outs = {name: [{"path": f"{name}.csv", "md5": str(one)}] for name, one in versions.items()}
    stages = {name: {"cmd": name, "outs": one} for name, one in outs.items()}
    return {"dvc.lock": json.dumps({"stages": stages}, indent=1), "score.csv": "kept by git"}


def test_each_stage_of_a_lock_in_conflict_is_that_of_the_side_which_changed_it(
    project: Project,
) -> None:
    base = project.commit(locked(prepare=1, train=1, evaluate=1, score=1, plot=1))
    project.commit(locked(prepare=1, train=2, evaluate=2, score=1, plot=1), parent=base)
    project.git("branch", "theirs")
    project.commit(locked(prepare=1, train=1, evaluate=3, score=1, plot=4), parent=base)
    project.git("reset", "--quiet", "--hard")
    with pytest.raises(AssertionError):
        project.git("merge", "--quiet", "theirs")
    found = resolve_lock(project.folder)
    assert found.kept == {"prepare": "both", "train": "theirs", "plot": "ours"}
    assert found.left_out == ("evaluate", "score")
    lock = read_lock((project.folder / "dvc.lock").read_text())
    assert {name: one.outs[f"{name}.csv"].md5 for name, one in lock.stages.items()} == {
        "prepare": "1", "train": "2", "plot": "4",
    }  # fmt: skip
    assert project.git("ls-files", "--unmerged") == ""
