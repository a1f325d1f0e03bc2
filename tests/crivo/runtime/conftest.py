"""What the tests of forked scripts share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crivo.repository.stage_process import StageProcess


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StageProcess]:
    folder = tmp_path_factory.mktemp("forks")
    (folder / "src").mkdir()
    # The library comes after the project's own `src`, as an installed one does.
    made = StageProcess(folder, {"PYTHONPATH": None})
    yield made
    made.close()
