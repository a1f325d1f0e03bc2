"""Blocks: a file is a block, and its name is its parameter."""

from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.core.problems import Problems
from crivo.core.registry import find_block, make_block


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a models folder of our own, in a package of our own."""
    import blocks.models

    package = tmp_path / "models"
    package.mkdir()
    monkeypatch.setattr(blocks, "__path__", [str(tmp_path)])
    monkeypatch.setattr(blocks.models, "__path__", [str(package)])
    return package


ONE = """from crivo.core.blocks import Model, block

@block
class {0}(Model):
    def build(self, task, seed):
        return None
"""


def test_a_file_with_two_blocks_is_refused(folder: Path) -> None:
    (folder / "two_of_them.py").write_text(ONE.format("Mine") + ONE.format("Yours"))
    with pytest.raises(CrivoError, match="defines 2 classes derived from Model"):
        find_block("model", "two_of_them")


@pytest.mark.parametrize("given", [5, "text", [1]])
def test_settings_that_are_no_mapping_are_refused(given: object) -> None:
    with pytest.raises(Problems, match=r"models.prior: is .*expected settings"):
        make_block("model", "prior", given)  # type: ignore[arg-type]
