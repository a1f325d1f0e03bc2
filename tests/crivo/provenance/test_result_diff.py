"""Which outputs, metrics and inputs differ from those that a commit records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.provenance.result_diff import ResultDiff, diff_from_commit, other_inputs
from crivo.repository.git import open_repository
from tests.crivo.experiments.repository import Project

METRICS = "metrics/evaluation/metrics.json"


def lock(model: str = "m1", code: str = "c1", seed: int = 1, command: str = "run") -> str:
    train = {
        "cmd": command,
        "deps": [{"path": "src/train.py", "md5": code}],
        "params": {"params.yaml": {"seed": seed}},
        "outs": [{"path": "models/model.skops", "md5": model}],
    }
    evaluate = {
        "deps": [{"path": "models/model.skops", "md5": model}],
        "outs": [{"path": METRICS, "md5": f"of {model}"}],
    }
    return json.dumps({"stages": {"evaluate": evaluate, "train": train}})


def differing(folder: Path, text: str, metrics: object, recorded: object = None) -> ResultDiff:
    """Return what differs when a run wrote this lock and these metrics."""
    project = Project(folder)
    known = {"roc_auc": 0.7, "value": 1800.0, "verdict": "better"} if recorded is None else recorded
    files = {
        "dvc.yaml": f"metrics: [{METRICS}, metrics/train.json]\n",
        "dvc.lock": lock(),
        METRICS: json.dumps(known),
    }
    project.commit(files)
    project.git("reset", "--quiet", "--hard")
    (project.folder / "dvc.lock").write_text(text)
    (project.folder / METRICS).write_text(json.dumps(known if metrics is None else metrics))
    return diff_from_commit(open_repository(project.folder))


@pytest.mark.parametrize(
    ("metrics", "different"),
    [
        # The tolerance is 1e-6: absolute below one, relative above.
        ({"roc_auc": 0.7000009, "value": 1800.001, "verdict": "better"}, []),
        ({"roc_auc": 0.7000011, "value": 1800.0, "verdict": "better"}, ["roc_auc"]),
        ({"roc_auc": 0.7, "value": 1800.003, "verdict": "better"}, ["value"]),
        ({"roc_auc": 0.7, "value": 1800.0, "verdict": "worse"}, ["verdict"]),
        ({"roc_auc": None, "value": 1800.0, "verdict": "better"}, ["roc_auc"]),
        ({"roc_auc": 0.7, "value": 1800.0}, ["verdict"]),
        ({"roc_auc": 0.7, "value": 1800.0, "verdict": "better", "new": 1}, ["new"]),
    ],
)
def test_metrics_are_equal_within_the_tolerance(
    tmp_path: Path, metrics: object, different: list[str]
) -> None:
    found = differing(tmp_path, lock("m2"), metrics)
    assert [one.name for one in found.metrics] == different
    assert found.metrics_equal == (not different)


def test_without_metrics_in_git_nothing_is_called_equal(tmp_path: Path) -> None:
    assert not differing(tmp_path, lock("m2"), {}, recorded={}).metrics_equal


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        (lock("m2"), []),
        (lock(code="c2"), ["src/train.py"]),
        (lock(seed=2), ["setting seed"]),
        (lock(command="walk"), ["its command"]),
        (json.dumps({"stages": {}}), ["dvc.yaml"]),
    ],
)
def test_other_inputs_are_named(tmp_path: Path, text: str, inputs: list[str]) -> None:
    found = differing(tmp_path, text, None)
    assert other_inputs(found.recorded, found.found, "train") == inputs


def test_broken_metrics_and_a_missing_lock_are_sentences(tmp_path: Path) -> None:
    differing(tmp_path, lock(), None)
    repository = open_repository(tmp_path)
    (tmp_path / METRICS).write_text("{")
    with pytest.raises(CrivoError, match=r"metrics.json isn't valid JSON"):
        diff_from_commit(repository)
    (tmp_path / "dvc.lock").unlink()
    with pytest.raises(CrivoError, match=r"There is no dvc.lock here"):
        diff_from_commit(repository)
    Project(tmp_path).commit({"README.md": ""})
    with pytest.raises(CrivoError, match=r"dvc.lock isn't committed"):
        diff_from_commit(repository)
