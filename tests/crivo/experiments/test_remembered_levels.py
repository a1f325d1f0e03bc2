"""What is remembered of the levels at which trials are tested."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from crivo.comparison.sequences import remembered_levels
from crivo.repository.remembered import Remembered, code_of
from crivo.statistics import max_t, sequence
from crivo.statistics.sequence import Spending, Step

STEPS = [Step(np.random.default_rng(0).standard_normal((8, 1)))]


@pytest.fixture(autouse=True)
def _code_is_read_again() -> Iterator[None]:
    code_of.cache_clear()
    yield
    code_of.cache_clear()


@pytest.mark.parametrize("module", [sequence, max_t])
def test_levels_are_worked_out_again_when_their_code_has_changed(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".dvc").mkdir()
    remembered_levels(STEPS, Spending(), Remembered(tmp_path))
    monkeypatch.setattr(sequence.Draws, "level", lambda *_: 0.5)
    assert remembered_levels(STEPS, Spending(), Remembered(tmp_path)) != [0.5]
    changed = tmp_path / "changed.py"
    changed.write_text(Path(module.__file__ or "").read_text() + "# changed\n")
    monkeypatch.setattr(module, "__file__", str(changed))
    code_of.cache_clear()
    assert remembered_levels(STEPS, Spending(), Remembered(tmp_path)) == [0.5]
