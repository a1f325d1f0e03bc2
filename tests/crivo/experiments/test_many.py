"""`crivo compare` with many experiments: what it lists, and what it needn't work out again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from crivo.comparison.compare import compare
from crivo.records.history import read_history
from crivo.repository.remembered import FILE, Remembered
from crivo.statistics import sequence
from tests.crivo.experiments.repository import Project


def out(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["compare", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_nothing_is_worked_out_twice_and_no_number_changes(
    prunable: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compare()
    (prunable.folder / ".dvc").mkdir()
    assert compare().metrics.equals(first.metrics)
    assert (prunable.folder / FILE).is_file()

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("worked out again")

    monkeypatch.setattr(sequence, "Draws", never)
    again = compare()
    assert again.metrics.equals(first.metrics)
    assert again.table.equals(first.table)
    assert again.notes == first.notes


def test_a_new_trial_takes_what_was_worked_out_of_those_before_it(prunable: Project) -> None:
    (prunable.folder / ".dvc").mkdir()
    compare()
    prunable.trial("next", json_files := dict(read_files(prunable)))
    assert json_files
    with_memory = compare()
    (prunable.folder / FILE).unlink()
    assert with_memory.metrics.equals(compare().metrics)


def read_files(project: Project) -> dict[str, bytes]:
    record = read_history(project.folder).find("trial-3")
    files = {path: blob.content for path, blob in record.files.items()}
    lock = json.loads(files["dvc.lock"])
    lock["stages"]["evaluate"]["outs"][0]["md5"] = "new"
    return files | {"dvc.lock": json.dumps(lock).encode()}


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\x00 and no more"])
def test_a_damaged_memory_costs_time_only(prunable: Project, damage: bytes) -> None:
    (prunable.folder / ".dvc").mkdir()
    first = compare()
    (prunable.folder / FILE).write_bytes(damage)
    assert compare().table.equals(first.table)


def test_what_json_would_change_is_not_remembered(prunable: Project) -> None:
    (prunable.folder / ".dvc").mkdir()
    memory = Remembered(prunable.folder)
    memory.keep({"a": {"b": 0.1}, "b": {1: 2}, "c": (1, 2), "d": object()})
    assert memory.recall(["a", "b", "c", "d"]) == {"a": {"b": 0.1}}
