"""The command that shows the documentation: `crivo docs`."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from crivo.commands.printing import say


def complete_page(incomplete: str) -> list[str]:
    """Return the pages whose names start so."""
    from crivo.project.pages import pages

    return [name for name in pages() if name.startswith(incomplete)]


def docs(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[PAGE]",
            help="The page to show, such as guide; by default, the list of pages.",
            autocompletion=complete_page,
        ),
    ] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
) -> None:
    """Show a page of crivo's documentation. It needs no network."""
    from rich.console import Console
    from rich.markdown import Markdown

    from crivo.project.pages import INDEX, page, pages, write_site

    text = page(name or INDEX)
    if open_page:
        folder = Path(tempfile.mkdtemp(prefix="crivo-docs-"))
        write_site(folder)
        shown = folder / f"{name or INDEX}.html"
        say(str(shown))
        webbrowser.open(shown.as_uri())
    elif name is None:
        say("\n".join(f"crivo docs {one}" for one in pages()))
    elif sys.stdout.isatty():
        Console().print(Markdown(text))
    else:
        say(text)
