"""Commands that show pages: `crivo board`, `report`, `docs`; and `note`."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from crivo.commands.options import AGAINST, FORCE, OPEN, REMOVE, REVISION, REVISIONS, WHERE, rev
from crivo.commands.printing import say
from crivo.core.errors import CrivoError

# Ignored by git; reports of experiments stand beside it.
PAGE = Path("board/board.html")
REPORTS = PAGE.with_name("reports")
PLOTS_PAGE = ".dvc/plots/offline.html"


def board(
    revisions: REVISIONS = None,
    against: AGAINST = None,
    where: WHERE = None,
    output: Annotated[Path, typer.Option(help="The page to write.")] = PAGE,
    open_page: OPEN = False,
    force: FORCE = False,
) -> None:
    """Write a page about all experiments, with a table, charts and curves. It needs no network."""
    from crivo.commands.outputs import require_free
    from crivo.comparison.board.page import board_page
    from crivo.comparison.choice import Filters
    from crivo.comparison.compare import compare, shortened
    from crivo.core import artifacts
    from crivo.project.contents import shipped_file
    from crivo.records.history import read_history

    if output != PAGE:
        require_free([output], [], force=force)
    history, filters = read_history(), Filters(where or ())
    found = compare(revisions or (), against=against, filters=filters, history=history)
    found = shortened(found, verdicts=filters.verdicts)
    page = board_page(found, history, shipped_file(PLOTS_PAGE))
    artifacts.write_text(output, page)
    _show(output, open_page=open_page)


def _show(page: Path, *, open_page: bool) -> None:
    """Say where a page is, and open it if that is asked for."""
    say(page.as_posix())
    if open_page:
        webbrowser.open(page.absolute().as_uri())


def note(
    revision: REVISION,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The text of the note.")
    ] = None,
    starred: Annotated[
        bool,
        typer.Option(
            "--star", help="Star the experiment; the board always shows its curves and slices."
        ),
    ] = False,
    remove: REMOVE = False,
) -> None:
    """Add a note or a star to an experiment, or show them."""
    from crivo.records import noted

    if text is not None and remove:
        raise CrivoError("Give either the text of a note or --remove.")
    if starred:
        noted.remark(revision, "unstar" if remove else "star", "")
    if text is not None:
        noted.remark(revision, "note", text)
    elif remove and not starred:
        noted.remark(revision, "forget", "")
    said = noted.said_of(revision)
    first = f"{revision} has {'a star' if said.starred else 'no star'}"
    say("\n".join([f"{first}{':' if said.notes else ' and no notes.'}", *said.notes]))


def report(
    revision: Annotated[
        str | None, rev("An experiment, branch, tag or commit; by default, this folder's result.")
    ] = None,
    open_page: OPEN = False,
) -> None:
    """Print the path of a result's report, or open the report. It needs no network."""
    from crivo.comparison.board.page import REPORT, write_report
    from crivo.records.history import read_history

    page = Path(REPORT)
    if revision is not None:
        history = read_history()
        record = history.find(revision)
        page = REPORTS / f"{record.origin.revision[:12]}.html"
        write_report(record, history, page)
    elif not page.is_file():
        raise CrivoError(f"{page} doesn't exist yet; run `dvc repro` in the project's folder.")
    _show(page, open_page=open_page)


def docs(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="PAGE",
            help="The page to show, such as guide; by default, the list of pages.",
        ),
    ] = None,
    open_page: OPEN = False,
) -> None:
    """Show a page of crivo's documentation. This needs no network."""
    from rich.console import Console
    from rich.markdown import Markdown

    from crivo.project.pages import DECISION, INDEX, page, pages, write_site

    text = page(name or INDEX)
    if open_page:
        folder = Path(tempfile.mkdtemp(prefix="crivo-docs-"))
        write_site(folder)
        _show(folder / f"{name or INDEX}.html", open_page=True)
    elif name is None:
        listed = {one: text for one, text in pages().items() if not one.startswith(DECISION)}
        titles = {one: text.splitlines()[0].lstrip("# ") for one, text in listed.items()}
        say("\n".join(f"crivo docs {one:20} {title}" for one, title in titles.items()))
    elif sys.stdout.isatty():
        Console().print(Markdown(text))
    else:
        say(text)
