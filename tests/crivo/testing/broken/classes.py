"""What the tests of broken blocks share."""

import re
from collections.abc import Callable
from pathlib import Path
from unittest import SkipTest

import pytest

from crivo.core.errors import CrivoError

# All that the suites say of the broken blocks, by what is broken; what a chance decides differs.
SAID = dict(
    re.findall(
        r"^\$ (.*)\n((?:(?!\$ ).*\n)*)",
        Path(__file__).with_name("said.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)
DEALT = r"\d+ of \d+ rows: (?:train|valid|test) became \w+"
DIFFER = rf"{DEALT}|-?\d+\.\d{{2,}}(?:e-\d+)?|(?<= )/.*?/test_\w+|\(ufunc .*''\)"


def of(base: type, **methods: object) -> type:
    """Return a class that differs from another one by these methods."""
    return type("Broken", (base,), {"__doc__": "Breaks a promise.", **methods})


def require_said(what: str, suite: Callable[[], None]) -> None:
    """Require that a suite says of what is broken exactly what the text beside this file has."""
    with pytest.raises((CrivoError, SkipTest)) as caught:
        suite()
    assert re.sub(DIFFER, "#", f"{caught.value}\n") == SAID[what]
