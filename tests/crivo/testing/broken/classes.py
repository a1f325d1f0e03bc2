"""What the tests of broken blocks share."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from crivo.testing import ContractError

# All that the suites say of the broken blocks; numbers, folders and libraries' words differ.
SAID = Path(__file__).with_name("said.txt").read_text(encoding="utf-8").strip().split("\n\n")
DEALT = r"\d+ of \d+ rows: (?:train|valid|test) became \w+"
DIFFER = rf"{DEALT}|-?\d+\.\d{{2,}}|(?<= )/.*?/test_\w+|\(ufunc .*''\)"


def of(base: type, **methods: object) -> type:
    """Return a class that differs from another one by these methods."""
    return type("Broken", (base,), {"__doc__": "Breaks a promise.", **methods})


def require_found(suite: Callable[[], None], check: str, sentence: str) -> ContractError:
    """Require that a suite says what is broken; return all that it says."""
    with pytest.raises(ContractError) as caught:
        suite()
    error = caught.value
    found = [line for line in str(error).splitlines() if line.startswith(f"- {check}: ")]
    assert check in error.checks, str(error)
    assert sentence in "".join(found)
    assert re.sub(DIFFER, "#", str(error).strip()) in SAID, str(error)
    return error
