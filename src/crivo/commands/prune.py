"""The command that removes experiments: `crivo prune`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import AS_JSON, WHERE, YES, rev
from crivo.commands.printing import say, show
from crivo.core.errors import CrivoError
from crivo.core.wording import a_few, counted

if TYPE_CHECKING:
    from crivo.comparison.pruning import Pruned, Undone

Many = list[str] | None
# Names in a list; the rest is counted.
MAX_NAMED = 20
UNDO = Annotated[bool, typer.Option("--undo", help="Restore what this clone removed last.")]


def prune(
    names: Annotated[
        Many, rev("Names of experiments, or patterns such as 'forest-*'.", "NAME")
    ] = None,
    where: WHERE = None,
    undo: UNDO = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    yes: YES = False,
    as_json: AS_JSON = False,
) -> None:
    """Remove experiments that are no longer needed; they still count as trials."""
    from crivo.comparison import pruning
    from crivo.comparison.choice import Filters

    if undo:
        if names or where or dry_run:
            raise CrivoError("--undo restores what this clone removed last; leave out the rest.")
        undone = pruning.undo_pruning()
        failed = bool(undone.taken) and not as_json
        show("prune --undo", undone, _undone_text, as_json=as_json, failed=failed)
        return
    if not (names or where):
        raise CrivoError(
            "Say which experiments to remove: names or patterns, --where verdict=worse, --where "
            "before=30d, --where search=NAME; an experiment must match all of them."
        )
    plan = pruning.plan_pruning(Filters(where or (), names or ()))
    if not as_json:
        say(_plan_text(plan))
    done = plan
    if plan.removed and not dry_run:
        _require_yes(yes, as_json=as_json)
        done = pruning.prune(plan)
    show("prune", replace(done, done=not dry_run), _end_text, as_json=as_json)


def _require_yes(yes: bool, *, as_json: bool) -> None:
    """Ask on a terminal; CrivoError where nobody can answer."""
    if yes:
        return
    if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CrivoError(
            "Nothing was removed: --yes removes without asking, and --dry-run only lists."
        )
    if not typer.confirm("Remove them?"):
        say("Nothing was removed.")
        raise typer.Exit(1)


def _plan_text(plan: Pruned) -> str:
    lines = ["There are no experiments to remove."]
    if plan.removed:
        stay = "stays" if plan.left == 1 else "stay"
        lines = [f"{counted(len(plan.removed), 'experiment')} to remove; {plan.left} {stay}:"]
        lines.append(_listed(one.name for one in plan.removed))
    if plan.kept:
        kept = (f"{one.name}: {one.reason}" for one in plan.kept)
        lines += ["Selected, but kept:", _listed(kept)]
    return "\n".join([*lines, *plan.notes])


def _listed(names: Iterable[str]) -> str:
    """Return a line for each name; the rest is counted on a line of its own."""
    return "  " + a_few(names, MAX_NAMED, separator="\n  ")


def _end_text(pruned: Pruned) -> str:
    if not pruned.done or not pruned.removed:
        return "Nothing was removed." if pruned.done else "Nothing was changed."
    return (
        f"Removed experiments: {len(pruned.removed)}. They still count: commit metrics/trials.csv, "
        "so that they count in every clone. `crivo prune --undo` restores them.\nTo also delete "
        f"their files from DVC's cache, so that an undo can't restore them:\n  {pruned.free_space}"
    )


def _undone_text(undone: Undone) -> str:
    names = a_few(undone.restored, MAX_NAMED)
    lines = [f"Restored {counted(len(undone.restored), 'experiment')} with metrics: {names}."]
    if undone.taken:
        names = a_few(undone.taken, MAX_NAMED)
        lines.append(f"Not restored, because their names are taken: {names}. Rename the others:")
        lines.append(f"  dvc exp rename {undone.taken[0]} NEW_NAME")
    return "\n".join(lines)
