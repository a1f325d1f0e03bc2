"""What was worked out of a comparison is remembered, and stays right when the code changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from crivo.comparison.compare import compare
from crivo.comparison.families import remembered_levels
from crivo.records import record
from crivo.records.record import PARAMS
from crivo.repository import remembered
from crivo.repository.lock import LOCK
from crivo.repository.remembered import FILE, Remembered, code_of
from crivo.statistics import max_t, selection, sequence
from crivo.statistics.sequence import Spending, Step
from tests.crivo.experiments.repository import Project

STEPS = [Step(np.random.default_rng(0).standard_normal((8, 1)))]


@pytest.fixture(autouse=True)
def _code_is_read_again() -> Iterator[None]:
    code_of.cache_clear()
    yield
    code_of.cache_clear()


def test_nothing_is_worked_out_twice_and_no_number_changes(
    prunable: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compare()
    assert first.after_selection
    (prunable.folder / ".dvc").mkdir()
    compare()

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("worked out again")

    monkeypatch.setattr(sequence, "step_level", never)
    monkeypatch.setattr(selection, "after_selection", never)
    for path in (PARAMS, LOCK):  # nor read
        monkeypatch.setitem(record.PARSERS, path, never)
    again = compare()
    assert again.metrics.equals(first.metrics)
    assert again.table.equals(first.table)
    assert again.notes == first.notes


@pytest.mark.parametrize(
    ("known", "damage"),
    [
        (rb"0\.(?=\d+\n)", b"0.1"),
        *((rb" [^ \n]+$", damage) for damage in (b" []", b" null", b" {", b" \x00\xff", b"", b" ")),
        (rb"(?s)^.*$", b"no memory"),
        (rb"(?s).{50}$", b""),
    ],
)
def test_a_damaged_memory_is_not_believed(prunable: Project, known: bytes, damage: bytes) -> None:
    (prunable.folder / ".dvc").mkdir()
    first = compare()
    place = prunable.folder / FILE
    damaged, count = re.subn(known, damage, place.read_bytes(), flags=re.MULTILINE)
    assert count
    place.write_bytes(damaged)
    assert compare().metrics.equals(first.metrics)
    assert compare().metrics.equals(first.metrics)


@pytest.mark.parametrize("module", [sequence, max_t])
def test_levels_are_worked_out_again_when_their_code_has_changed(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".dvc").mkdir()
    remembered_levels(STEPS, Spending(), Remembered(tmp_path))
    monkeypatch.setattr(sequence, "step_level", lambda *_: 0.5)
    assert remembered_levels(STEPS, Spending(), Remembered(tmp_path)) != [0.5]
    changed = tmp_path / "changed.py"
    changed.write_text(Path(module.__file__ or "").read_text() + "# changed\n")
    monkeypatch.setattr(module, "__file__", str(changed))
    code_of.cache_clear()
    assert remembered_levels(STEPS, Spending(), Remembered(tmp_path)) == [0.5]


def test_what_json_would_change_is_not_kept_and_a_large_file_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".dvc").mkdir()
    memory = Remembered(tmp_path)
    memory.keep({"a": 1.5, "b": (1, 2), "c": {1}, "d": None})
    monkeypatch.setattr(remembered, "MAX_BYTES", (tmp_path / FILE).stat().st_size)
    memory.keep({"e": [1]})
    assert memory.recall("abcde") == {"a": 1.5, "d": None, "e": [1]}
    memory.keep({"f": 2})
    assert memory.recall("adef") == {"f": 2}
