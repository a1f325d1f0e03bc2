"""Commands that give experiments to others: `crivo share`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import AS_JSON
from crivo.commands.printing import say, say_document

if TYPE_CHECKING:
    from crivo.sharing import Shared


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(share)


def share(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The experiment's name.")],
    remote: Annotated[
        str | None, typer.Option(help="The DVC remote; the default remote if left out.")
    ] = None,
    git_remote: Annotated[str, typer.Option(help="The git remote.")] = "origin",
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Check only the size of files that the remote already had."),
    ] = False,
    as_json: AS_JSON = False,
) -> None:
    """Push an experiment and all its data, and check that both arrived."""
    from crivo import sharing

    shared = sharing.share(name, remote=remote, git_remote=git_remote, quick=quick)
    if as_json:
        from crivo.commands.documents.provenance import ShareDocument

        say_document(ShareDocument.made_of("share", asdict(shared)))
    else:
        say(_text(shared))


def _text(shared: Shared) -> str:
    from crivo.repository.git_remote import SHARED

    there = shared.files - shared.uploaded
    lines = [
        f"{shared.name} is shared:",
        f"  git   {shared.ref} is on {shared.git_remote}",
        f"  data  {shared.files} files, {shared.size / 1e6:.1f} MB, are in {shared.storage} "
        f"({shared.url}): {shared.uploaded} uploaded, {there} there before",
        f"  count {shared.trials} trial{'s' * (shared.trials != 1)}: a comparison counts them all, "
        "there as here",
        *(f"note: {note}" for note in shared.notes),
        f"A colleague runs `git fetch {shared.git_remote} '{SHARED}'` and "
        f"`dvc exp pull {shared.git_remote} {shared.name}`, then `crivo compare {shared.name}` or "
        f"`dvc exp apply {shared.name}`.",
    ]
    return "\n".join(lines)
