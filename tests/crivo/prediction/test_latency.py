"""How long the answer for one row takes."""

import shutil
from collections.abc import Callable
from pathlib import Path

from crivo.core import artifacts
from crivo.prediction.bundle import milliseconds_per_row
from crivo.testing import FakeDataset


def test_the_time_of_one_row_is_measured(trained: Callable[..., Path], tmp_path: Path) -> None:
    project = shutil.copytree(trained("binary"), tmp_path / "project")
    rows = FakeDataset(task="binary").load(project)
    artifacts.write_table(project / artifacts.prepared("valid"), rows)
    assert 0 < milliseconds_per_row(project) < 10_000
