"""The command that solves a conflict in `dvc.lock`: `crivo merge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from crivo.commands.options import AS_JSON
from crivo.commands.printing import say, say_document

if TYPE_CHECKING:
    from crivo.repository.merge_lock import Merged

WHOSE = {
    "both": "equal on both sides",
    "ours": "from ours",
    "theirs": "from theirs",
    "run cache": "from an earlier run",
}


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(merge)


def merge(as_json: AS_JSON = False) -> None:
    """Resolve a conflict in dvc.lock that stopped a git merge, rebase or pull."""
    from dataclasses import asdict

    from crivo.repository.merge_lock import merge_lock

    merged = merge_lock()
    if as_json:
        from crivo.commands.documents.pruning import MergeDocument

        say_document(MergeDocument.made_of("merge", asdict(merged)))
    else:
        say(_text(merged))


def _text(merged: Merged) -> str:
    lines = [f"  {stage}: {WHOSE[whose]}" for stage, whose in merged.kept.items()]
    lines += [f"  {stage}: left to `dvc repro`" for stage in merged.left_out]
    lines = ["dvc.lock is solved:", *lines]
    if merged.open:
        lines.append(f"`dvc repro` writes them anew: {', '.join(merged.open)}")
    lines.append(
        "Now run `dvc repro`, which makes what the merge changed, then `git add --update` and "
        "`git commit` (`git rebase --continue`)."
    )
    return "\n".join(lines)
