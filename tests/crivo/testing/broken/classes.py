"""What the tests of broken blocks share."""

from crivo.testing import ContractError


def of(base: type, **methods: object) -> type:
    """Return a class that differs from another one by these methods."""
    return type("Broken", (base,), {"__doc__": "Breaks a promise.", **methods})


def require_found(error: ContractError, check: str, sentence: str) -> None:
    found = [line for line in str(error).splitlines() if line.startswith(f"- {check}: ")]
    assert check in error.checks, str(error)
    assert sentence in "".join(found)
