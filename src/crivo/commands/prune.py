"""The command that removes experiments: `crivo prune`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import AS_JSON, SEARCH, VERDICT, YES
from crivo.commands.printing import say, say_document
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.experiments.pruning import Pruning, Selection

Many = list[str] | None
# Names in a list; the rest is counted.
MAX_NAMED = 20


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(prune)


def prune(
    names: Annotated[
        Many,
        typer.Argument(
            metavar="[NAME]...", help="Names of experiments, or patterns such as 'forest-*'."
        ),
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            metavar="AGE", help="Select only experiments recorded before this: 30d, 2024-05-01."
        ),
    ] = None,
    verdict: VERDICT = None,
    search: SEARCH = None,
    space: Annotated[
        bool,
        typer.Option("--space", help="Also delete cached files that nothing else needs."),
    ] = False,
    undo: Annotated[
        bool,
        typer.Option(
            "--undo",
            help="Restore what this clone removed last, or the removed experiments named.",
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    yes: YES = False,
    as_json: AS_JSON = False,
) -> None:
    """Remove experiments that are no longer needed; they still count in the correction."""
    from crivo.experiments import pruning

    if undo:
        if older_than or verdict or search or space or dry_run:
            raise CrivoError(
                "--undo restores what this clone removed last, or what you name; leave the other "
                "options out."
            )
        _undo(names or (), as_json=as_json)
        return
    selection = _selection(names, older_than, verdict, search)
    if not (selection or space):
        raise CrivoError(
            "Say which experiments to remove: names or patterns, --older-than 30d, --verdict "
            "worse, --search NAME; an experiment must match all of them."
        )
    plan = pruning.plan_pruning(selection)
    nothing = not plan.removed and not (space and plan.freed.files)
    if not as_json:
        say(_plan_text(plan, space=space))
    if dry_run or nothing:
        _end(plan, done=not dry_run, space=space and not dry_run, as_json=as_json)
        return
    _require_yes(yes, as_json=as_json)
    done = pruning.prune(plan, space=space)
    if not as_json:
        _say_kept_since(plan, done)
    _end(done, done=True, space=space, as_json=as_json)


def _selection(names: Many, older_than: str | None, verdict: Many, search: Many) -> Selection:
    from crivo.experiments.choice import moment
    from crivo.experiments.pruning import Selection
    from crivo.experiments.verdicts import require_verdicts

    require_verdicts(verdict or ())
    before = moment(older_than) if older_than else None
    return Selection(tuple(names or ()), before, tuple(verdict or ()), tuple(search or ()))


def _require_yes(yes: bool, *, as_json: bool) -> None:
    """Ask on a terminal; CrivoError where nobody can answer."""
    if yes:
        return
    if as_json or not _on_a_terminal():
        raise CrivoError(
            "Nothing was removed: use --yes to remove without asking, --dry-run to look only."
        )
    if not typer.confirm("Remove them?"):
        say("Nothing was removed.")
        raise typer.Exit(1)


def _on_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _plan_text(plan: Pruning, *, space: bool) -> str:
    lines = []
    if plan.removed:
        count = len(plan.removed)
        lines.append(f"{count} experiment{_s(count)} to remove; {plan.left} stay:")
        lines += _some(f"  {one.name}" for one in plan.removed)
    elif not space:
        lines.append("There are no experiments to remove.")
    if plan.kept:
        lines.append("Selected, but kept:")
        lines += _some(f"  {name}: {reason}" for name, reason in plan.kept.items())
    lines += [*plan.notes, _space_text(plan, space=space)]
    return "\n".join(filter(None, lines))


def _say_kept_since(plan: Pruning, done: Pruning) -> None:
    """Say what was kept although it stood in the list that was shown."""
    late = {name: reason for name, reason in done.kept.items() if name not in plan.kept}
    if late:
        lines = _some(f"  {name}: {reason}" for name, reason in late.items())
        say("\n".join(["Kept, as this changed since the list:", *lines]))
    if late and not done.removed:
        say("Nothing was removed.")


def _some(lines: Iterable[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    lines = list(lines)
    more = [f"  and {len(lines) - MAX_NAMED} more"] if len(lines) > MAX_NAMED else []
    return lines[:MAX_NAMED] + more


def _space_text(plan: Pruning, *, space: bool) -> str:
    count = len(plan.freed.files)
    size = f"{count:,} file{_s(count)} of DVC's cache, {plan.freed.size / 1e6:,.1f} MB"
    if not count:
        return "DVC's cache has no files that only removed experiments need." if space else ""
    if space:
        return (
            f"{size}, will be deleted because nothing else needs them: an undo then restores "
            "the experiments and their metrics, but not their models and predictions."
        )
    return f"Nothing else will need {size}; --space also deletes them."


def _end(plan: Pruning, *, done: bool, space: bool, as_json: bool) -> None:
    if as_json:
        from crivo.commands.documents.pruning import PruneDocument

        say_document(PruneDocument.made_of("prune", _values(plan, done=done, space=space)))
    elif not done:
        say("Nothing was changed.")
    elif plan.stamp:
        say(
            f"Removed {len(plan.removed)}. They still count: commit metrics/trials.csv, so that "
            "they count in every clone. `crivo prune --undo` restores them."
        )


def _values(plan: Pruning, *, done: bool, space: bool) -> dict[str, object]:
    return {
        "done": done,
        "removed": [
            {
                "name": one.name,
                "revision": one.origin.revision,
                "when": one.origin.when.isoformat(),
            }
            for one in plan.removed
        ],
        "kept": [{"name": name, "reason": reason} for name, reason in plan.kept.items()],
        "left": plan.left,
        "unneeded_files": len(plan.freed.files),
        "unneeded_bytes": plan.freed.size,
        "freed": space,
        "notes": list(plan.notes),
    }


def _undo(names: Sequence[str], *, as_json: bool) -> None:
    from dataclasses import asdict

    from crivo.experiments.restoring import undo_pruning

    undone = undo_pruning(names)
    if as_json:
        from crivo.commands.documents.pruning import UndoDocument

        say_document(UndoDocument.made_of("prune --undo", asdict(undone)))
        return
    count = len(undone.restored)
    say(f"Restored {count} experiment{_s(count)} with metrics: {_few(undone.restored)}.")
    if undone.lacking:
        say(
            f"The cache lacks the models and predictions of {_few(undone.lacking)}: `dvc exp pull` "
            "fetches those that were pushed; run the others again."
        )
    if undone.others:
        say(
            f"Not restored, because another clone removed them: {_few(undone.others)}. `crivo "
            "prune --undo NAME` restores those that you name."
        )
    if undone.taken:
        say(f"Not restored, because their names are taken: {_few(undone.taken)}.", err=True)
        raise typer.Exit(1)


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more


def _s(count: int) -> str:
    return "" if count == 1 else "s"
