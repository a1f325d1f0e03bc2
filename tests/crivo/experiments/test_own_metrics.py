"""A team's own metric is compared by what was recorded of it, whatever code there is today.

The oracle is a shipped metric of the same direction, bounds and numbers: under the name `far_off`,
which no code knows, each command says the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from crivo.evaluation.metrics import metrics_of
from crivo.records.history import read_history
from tests.crivo.experiments.repository import (
    OTHER_WAY,
    Project,
    evaluation_files,
    settings,
    spread,
)

OWN = "far_off"
# Of each task; nearest, lower and higher.
LIKE = [
    ("binary", "calibration_slope"),
    ("multiclass", "log_loss"),
    ("regression", "r2"),
]
COMMANDS = (
    ("compare", "--json"),
    ("compare", "slow", "--details"),
    ("plan", "slow", "--json"),
    ("repeat", "slow", "--seeds", "2", "--json"),
    ("confirm", "slow", "--anyway", "--json"),
    ("incumbent", "slow"),
    ("compare", "--json"),
    ("board",),
)


def facts(task: Any, name: str) -> dict[str, Any]:
    return metrics_of(task)[name].to_json()


def recorded(folder: Path, task: str, like: str, name: str) -> Project:
    """Return a project whose primary metric has the numbers and the meaning of a shipped one."""
    project = Project(folder)
    project.identify()

    def files(value: float, step: float, pattern: Any = OTHER_WAY, **about: Any) -> dict[str, str]:
        metrics = {name: spread(value, step, pattern), "mae": spread(3.0, step)}
        told = {name: facts(task, like), "mae": facts("regression", "mae")}
        return evaluation_files(metrics, task=task, metrics=told, **about)

    test = {"split": "test", "rows": "t"}
    slow = settings(models__boosting__learning_rate=0.05)
    again = settings(models__boosting__learning_rate=0.05, seed=2)
    main = project.commit(files(0.70, 0.0, model="a"))
    project.trial("slow", files(0.72, 0.003, settings=slow, model="b"), kind="trial")
    project.trial("fast", files(0.69, 0.004, settings=settings(seed=3)), kind="trial")
    project.trial("twice", files(0.721, 0.003, settings=again), kind="seed")
    on_test = settings(evaluate__split="test")
    project.trial("look", files(0.71, 0.003, settings=on_test, model="b", **test), parent=main)
    project.trial("first", files(0.70, 0.0, settings=on_test, model="a", **test), parent=main)
    return project


def answers(project: Project, name: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the commands say of a metric, without hashes."""
    monkeypatch.chdir(project.folder)
    found = []
    for command in COMMANDS:
        result = CliRunner().invoke(app, [word.format(name=name) for word in command])
        assert result.exit_code == 0, (command, result.output, result.exception)
        found.append(" ".join(result.output.split()))
    found.append(Path("board/board.html").read_text())
    for record in read_history(project.folder).records:
        hashes = record.origin.revision, record.origin.revision[:7]
        for one in hashes:
            found = [text.replace(one, "H") for text in found]
    return found


@pytest.mark.parametrize(("task", "like"), LIKE)
def test_it_is_compared_like_a_shipped_metric_of_its_kind(
    task: str, like: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = answers(recorded(tmp_path / "own", task, like, OWN), OWN, monkeypatch)
    shipped = answers(recorded(tmp_path / "shipped", task, like, like), like, monkeypatch)
    for mine, theirs in zip(own, shipped, strict=True):
        assert mine.replace(OWN, like) == theirs
