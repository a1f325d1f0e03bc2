"""Forks of one process check the settings of unused blocks once."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crivo.repository.stage_process import StageProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

# Says which blocks were imported for a check, or what is wrong.
SCRIPT = """\
import sys
from crivo.core.errors import CrivoError
from crivo.core.params import read_params
try:
    params = read_params()
    print(*(name.rpartition(".")[2] for name in sys.modules if name.startswith("blocks.models.")))
    params.block("model")
except CrivoError as error:
    print(error)
"""
FOREST = "src/blocks/models/forest.py"


@pytest.fixture
def process(tmp_path: Path) -> Iterator[StageProcess]:
    ignored = shutil.ignore_patterns("__pycache__", "lightgbm.py", "xgboost.py", "sklearn.py")
    shutil.copytree("src/blocks", tmp_path / "src/blocks", ignore=ignored)
    (tmp_path / "src/train.py").write_text(SCRIPT)
    text = Path("params.yaml").read_text()
    start, end = text.index("  # Any estimator of the listed packages"), text.index("evaluators:\n")
    (tmp_path / "params.yaml").write_text(text[:start] + text[end:])
    made = StageProcess(tmp_path, {"PYTHONPATH": None})
    yield made
    made.close()


def replace(process: StageProcess, name: str, old: str, new: str) -> None:
    path = process.folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def run(process: StageProcess) -> str:
    lines: list[str] = []
    assert process.run("python src/train.py", {}, lines.append) == 0
    return "".join(lines).strip()


def test_unused_blocks_are_not_imported_again_until_settings_or_code_change(
    process: StageProcess,
) -> None:
    everything = "boosting forest linear prior"
    assert [run(process) for _ in range(3)] == [everything, "", ""]
    replace(process, "params.yaml", "trees: 100", "trees: 200")
    assert [run(process) for _ in range(2)] == ["forest", ""]
    replace(process, FOREST, "import annotations\n", "import annotations\n\n")
    assert [run(process) for _ in range(2)] == [everything, ""]


def test_a_wrong_setting_of_an_unused_block_is_refused_each_time(process: StageProcess) -> None:
    assert run(process)
    replace(process, "params.yaml", "trees: 100", "trees: many")
    said = "params.yaml: models.forest.trees: is 'many', but it should be a valid integer"
    assert [run(process) for _ in range(2)] == [said] * 2


def test_a_wrong_setting_is_refused_though_other_settings_were_right(process: StageProcess) -> None:
    assert run(process)
    replace(process, "params.yaml", "learning_rate: 0.1", "learning_rate: 0")
    assert "models.boosting.learning_rate: is 0" in run(process)


def test_a_setting_that_the_block_s_new_code_refuses_is_wrong(process: StageProcess) -> None:
    assert run(process)
    replace(process, FOREST, "trees:", "number:")
    assert "models.forest.trees: unknown setting" in run(process)
