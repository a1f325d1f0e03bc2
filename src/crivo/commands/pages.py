"""Commands that show a page: `crivo report`, `docs`."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from crivo.commands.board import REPORTS
from crivo.commands.options import OPEN, complete_revision
from crivo.commands.printing import say
from crivo.core.errors import CrivoError


def report(
    revision: Annotated[
        str | None,
        typer.Argument(
            metavar="[REV]",
            help="An experiment, branch, tag or commit; by default, the files in this folder.",
            autocompletion=complete_revision,
        ),
    ] = None,
    open_page: OPEN = False,
) -> None:
    """Say where the report of a result is, or open it; it is a page that needs no network."""
    from crivo.comparison.board.page import REPORT, no_report, write_report
    from crivo.records.history import read_history

    page = Path(REPORT)
    if revision is not None:
        history = read_history()
        record = history.find(revision)
        page = REPORTS / f"{record.origin.revision[:12]}.html"
        if not write_report(record, history, page):
            raise CrivoError(no_report(revision))
    elif not page.is_file():
        raise CrivoError(f"{page} is not there; `dvc repro` makes it.")
    say(page.as_posix())
    if open_page:
        webbrowser.open(page.absolute().as_uri())


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
    open_page: OPEN = False,
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
