"""Says how to get a library that only some models need."""

from __future__ import annotations

from crivo.core.errors import CrivoError


def missing_package(package: str) -> CrivoError:
    """Return the error that says how to install an optional package."""
    return CrivoError(
        f"model {package} needs the package {package}, which is not installed: `make extras` adds "
        f"it, or `pip install --editable '.[{package}]'` in the project's folder."
    )
