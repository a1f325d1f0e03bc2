"""A model whose library is not installed says how to get it."""

import sys

import pytest

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_a_library_that_is_not_installed_comes_with_the_command(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(CrivoError, match=rf"`make extras` .*--editable '\.\[{library}\]'"):
        make_block("model", library, {}).build("binary", 3)
