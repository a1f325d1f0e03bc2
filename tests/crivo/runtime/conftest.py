"""What the tests of forked scripts share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crivo.repository.stage_process import StageProcess


@pytest.fixture
def process(tmp_path: Path) -> Iterator[StageProcess]:
    (tmp_path / "src").mkdir()
    # The library comes after the project's own `src`, as an installed one does.
    made = StageProcess(tmp_path, {"PYTHONPATH": None})
    yield made
    made.close()
