"""A model whose library is not installed says how to get it."""

import re
import sys
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_a_library_that_is_not_installed_comes_with_the_command(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(CrivoError, match="`make extras` adds it .* -r requirements/extras.txt`"):
        make_block("model", library, {}).build("binary", 3)


def test_no_advice_replaces_the_editable_install_by_a_copy() -> None:
    """After `pip install '.[lightgbm]'` the next edit isn't seen."""
    root = Path(__file__).parents[3]
    pages = [*(root / "src").rglob("*.py"), *(root / "docs").rglob("*.md"), *root.glob("*.md")]
    pages += [*(root / "src/crivo/project").rglob("*.txt"), root / "params.yaml", root / "Makefile"]
    copying = re.compile(r"pip install (?!.*--editable).*[\s'\"]\.(\[|[\s'\"`]|$)", re.MULTILINE)
    assert [page for page in pages if copying.search(page.read_text(encoding="utf-8"))] == []
    assert copying.search("pip install '.[lightgbm]'")
    assert not copying.search("pip install --require-hashes -r requirements/extras.txt")
