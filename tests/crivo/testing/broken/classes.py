"""What the tests of broken blocks share."""

from collections.abc import Callable

import pytest

from crivo.testing import ContractError


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
    return error
