"""Commands about many experiments on one page: `crivo board`, `note`, `star`."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import AGAINST, FORCE, REMOVE, REVISION
from crivo.commands.printing import say
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.experiments import Comparison
    from crivo.experiments.history import History
    from crivo.experiments.noted import Noted

# Ignored by git; the page's own reports stand beside it.
PAGE = Path("board/board.html")
MARK = b'<meta name="generator" content="crivo board">'
PLOTS_PAGE = ".dvc/plots/offline.html"


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(board)
    app.command()(note)
    app.command()(star)


def board(
    revisions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[REV]...", help="Experiments, branches, tags or commits; by default, all."
        ),
    ] = None,
    against: AGAINST = None,
    output: Annotated[Path, typer.Option(help="The page to write.")] = PAGE,
    reports: Annotated[
        bool,
        typer.Option(
            "--reports", help="Also copy the reports of the best and the starred experiments."
        ),
    ] = False,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
    force: FORCE = False,
) -> None:
    """Write one page about all experiments: table, charts, curves. It needs no network."""
    from crivo import experiments
    from crivo.experiments.history import read_history

    require_place(output, force=force)
    history = read_history()
    result = experiments.compare(revisions or (), against=against, history=history)
    write_page(result, history, output, reports=reports)
    say(str(output))
    if open_page:
        webbrowser.open(output.absolute().as_uri())


def note(
    revision: REVISION,
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="The text of the note.")
    ] = None,
    remove: REMOVE = False,
) -> None:
    """Add a note to an experiment, or show its notes. Git keeps them."""
    from crivo.experiments import noted

    if text is not None and remove:
        raise CrivoError("Give either the text of a note or --remove.")
    if text is not None:
        said = noted.add_note(revision, text)
    else:
        said = noted.forget_notes(revision) if remove else noted.said_of(revision)
    say(_told(revision, said))


def star(
    revision: REVISION,
    remove: REMOVE = False,
) -> None:
    """Star an experiment. Git keeps the star, and the board shows the experiment first."""
    from crivo.experiments import noted

    say(_told(revision, noted.set_star(revision, not remove)))


def _told(name: str, said: Noted) -> str:
    first = f"{name} has {'a star' if said.starred else 'no star'}"
    return "\n".join([f"{first}{':' if said.notes else ' and no notes.'}", *map(str, said.notes)])


def require_place(output: Path, *, force: bool) -> None:
    """Raise CrivoError unless a page may be written there: over an older page without `force`."""
    from crivo.commands.outputs import require_free

    old_page = output.is_file() and MARK in output.read_bytes()[:2000]
    if output == PAGE and (old_page or not output.exists()):
        return
    with suppress(ModuleNotFoundError):  # without DVC nobody can say what it tracks
        require_free([output], [], force=force or old_page)


def write_page(
    comparison: Comparison, history: History, output: Path, *, reports: bool = False
) -> None:
    """Write the board of a comparison, and the reports of its chosen experiments beside it."""
    from crivo.core import artifacts
    from crivo.experiments.board import board, board_page
    from crivo.project.contents import shipped_file

    found = board(comparison, history)
    if reports:
        from crivo.experiments.board.reports import write_reports

        folder = output.with_name(f"{output.stem}_reports")
        found = found.with_reports(write_reports(found, history.repository, folder))
    page = board_page(found, shipped_file(PLOTS_PAGE))
    artifacts.write_text(output, page)
