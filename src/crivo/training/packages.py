"""Says in sentences what a library that only some models need is missing or refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crivo.core.errors import CrivoError
from crivo.core.problems import MAX_VALUE_LENGTH


def missing_package(package: str) -> CrivoError:
    """Return the error that says how to install an optional package."""
    return CrivoError(
        f"model {package} needs the package {package}, which is not installed: `make extras` adds "
        "it to the environment; without make: `python -m pip install --use-pep517 "
        "--no-build-isolation --require-hashes -r requirements-extras.txt`."
    )


@contextmanager
def refusing(package: str, kind: type[Exception]) -> Iterator[None]:
    """Turn a library's error, which is of its own kind, into one sentence."""
    try:
        yield
    except kind as error:
        reason = " ".join(str(error).split())[:MAX_VALUE_LENGTH]
        raise CrivoError(
            f"{package} refused its settings or the training rows: {reason}. Correct "
            f"models.{package}."
        ) from None
