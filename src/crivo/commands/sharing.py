"""Commands about where results come from and go: `crivo trace`, `verify`, `share`, `resolve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from crivo.commands.options import AS_JSON, rev
from crivo.commands.printing import show
from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from crivo.repository.lock import Resolved
    from crivo.sharing import Shared


def trace(
    what: Annotated[str, rev("A file, an MD5 hash, an experiment or a commit.", "WHAT")],
    as_json: AS_JSON = False,
) -> None:
    """Say which experiment, data, settings, code and environment produced a file."""
    from crivo.provenance.trace import trace, trace_text

    show("trace", trace(what), trace_text, as_json=as_json)


def verify(
    revision: Annotated[
        str | None, rev("An experiment, branch, tag or commit; by default, HEAD.")
    ] = None,
    workspace: Annotated[
        bool,
        typer.Option(
            "--workspace", help="Run no stage; compare the results in this folder with HEAD."
        ),
    ] = False,
    as_json: AS_JSON = False,
) -> None:
    """Reproduce results from scratch; exit status 1 if they differ by more than rounding."""
    from crivo.provenance.verification import verification_text, verify, verify_workspace

    if workspace and revision:
        raise CrivoError("--workspace compares this folder with HEAD; leave out REV.")
    found = verify_workspace() if workspace else verify(revision or "HEAD")
    show("verify", found, verification_text, as_json=as_json, failed=not found.reproduced)


def share(
    name: Annotated[str, rev("The experiment's name.", "NAME")],
    remote: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The DVC remote; by default, DVC's default remote."),
    ] = None,
    git_remote: Annotated[str, typer.Option(metavar="NAME", help="The git remote.")] = "origin",
    as_json: AS_JSON = False,
) -> None:
    """Push an experiment and all its data, and check that both arrived."""
    from crivo import sharing

    shared = sharing.share(name, remote=remote, git_remote=git_remote)
    show("share", shared, _shared_text, as_json=as_json)


def _shared_text(shared: Shared) -> str:
    there = shared.files - shared.uploaded
    lines = [
        f"{shared.name} is shared:",
        f"  git   {shared.ref} is on {shared.git_remote}",
        f"  data  {shared.files} files, {shared.size / 1e6:.1f} MB, are in {shared.storage} "
        f"({shared.url}): {shared.uploaded} uploaded, {there} already there",
        f"  count {shared.trials} trial{'s' * (shared.trials != 1)}, which every clone that "
        "fetches them counts",
        *(f"note: {note}" for note in shared.notes),
        f"A colleague runs `crivo fetch`, then `crivo compare {shared.name}`. To adopt it: "
        f"`dvc exp pull {shared.git_remote} {shared.name}`, then `dvc exp apply {shared.name}`.",
    ]
    return "\n".join(lines)


def resolve(as_json: AS_JSON = False) -> None:
    """Resolve a conflict in dvc.lock that stopped a git merge, rebase or pull."""
    from crivo.repository.lock import resolve_lock

    show("resolve", resolve_lock(), _resolved_text, as_json=as_json)


def _resolved_text(resolved: Resolved) -> str:
    whose = {"both": "equal on both sides", "ours": "from ours", "theirs": "from theirs"}
    lines = [f"  {stage}: {whose[side]}" for stage, side in resolved.kept.items()]
    lines += [f"  {stage}: left to `dvc repro`" for stage in resolved.left_out]
    lines = ["dvc.lock is resolved:", *lines]
    if resolved.open:
        lines.append(f"`dvc repro` writes these again: {', '.join(resolved.open)}")
    lines.append(
        "Now run `dvc repro`, which runs the stages that the merge changed, then `git add "
        "--update` and `git commit` (or `git rebase --continue`)."
    )
    return "\n".join(lines)
