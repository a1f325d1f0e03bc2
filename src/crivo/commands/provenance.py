"""Commands about where results come from: `crivo trace`, `crivo verify`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from crivo.commands.options import AS_JSON, SCHEDULER, WORKERS_REMOTE
from crivo.commands.printing import say, say_document
from crivo.core.errors import CrivoError


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(trace)
    app.command()(verify)


def trace(
    what: Annotated[
        str,
        typer.Argument(metavar="WHAT", help="A file, an MD5 hash, an experiment or a commit."),
    ],
    as_json: AS_JSON = False,
) -> None:
    """Say which experiment, data, settings, code and environment produced a file."""
    from crivo import provenance
    from crivo.provenance import text

    result = provenance.trace(what)
    if as_json:
        from crivo.commands.documents.provenance import TraceDocument

        say_document(TraceDocument.made_of("trace", json.loads(text.as_json(result))))
    else:
        say(text.trace_text(result))


def verify(
    revision: Annotated[
        str | None,
        typer.Argument(
            metavar="[REV]", help="An experiment, branch, tag or commit; HEAD if left out."
        ),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the temporary clone.")] = False,
    workspace: Annotated[
        bool,
        typer.Option(
            "--workspace", help="Run no stage; compare the results here with those of HEAD."
        ),
    ] = False,
    stored: Annotated[
        bool,
        typer.Option(
            "--stored", help="Run no stage; look for damaged files here and in the cache."
        ),
    ] = False,
    scheduler: SCHEDULER = None,
    remote: WORKERS_REMOTE = None,
    as_json: AS_JSON = False,
) -> None:
    """Reproduce results from scratch; exit status 1 if they differ from the recorded ones."""
    from crivo import provenance
    from crivo.provenance import text

    _require_one_place(revision, scheduler, remote, keep=keep, workspace=workspace, stored=stored)
    if stored:
        _verify_stored(as_json)
        return
    if workspace:
        result = provenance.verify_workspace()
    elif scheduler:
        result = provenance.verify_elsewhere(revision or "HEAD", scheduler, remote=remote)
    else:
        result = provenance.verify(revision or "HEAD", keep=keep)
    if as_json:
        from crivo.commands.documents.provenance import VerifyDocument

        say_document(VerifyDocument.made_of("verify", json.loads(text.as_json(result))))
    else:
        say(text.verification_text(result))
    if not result.reproduced:
        raise typer.Exit(1)


def _require_one_place(
    revision: str | None,
    scheduler: str | None,
    remote: str | None,
    *,
    keep: bool,
    workspace: bool,
    stored: bool,
) -> None:
    """Raise CrivoError where options say different things of what is looked at, and where."""
    if scheduler and (keep or workspace or stored):
        raise CrivoError("--scheduler runs REV elsewhere; leave the options that look here out.")
    if remote and not scheduler:
        raise CrivoError("--remote is for the workers of --scheduler; leave it out.")
    if workspace and (revision or keep):
        raise CrivoError("--workspace compares what is here with HEAD; leave REV and --keep out.")
    if stored and (revision or keep or workspace):
        raise CrivoError("--stored looks at every file here; leave REV and the others out.")


def _verify_stored(as_json: bool) -> None:
    from crivo import provenance
    from crivo.provenance import text

    soundness = provenance.verify_stored()
    if as_json:
        from crivo.commands.documents.provenance import IntegrityDocument

        values = json.loads(text.as_json(soundness))
        say_document(IntegrityDocument.made_of("verify --stored", values))
    else:
        say(text.integrity_text(soundness))
    if not soundness.sound:
        raise typer.Exit(1)
