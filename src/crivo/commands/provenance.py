"""Commands about where results come from: `crivo trace`, `crivo verify`."""

from __future__ import annotations

from typing import Annotated

import typer

from crivo.commands.options import AS_JSON, complete_revision
from crivo.commands.printing import show
from crivo.core.errors import CrivoError


def trace(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="A file, an MD5 hash, an experiment or a commit.",
            autocompletion=complete_revision,
        ),
    ],
    as_json: AS_JSON = False,
) -> None:
    """Say which experiment, data, settings, code and environment produced a file."""
    from crivo.provenance.trace import trace, trace_text

    show("trace", trace(what), trace_text, as_json=as_json)


def verify(
    revision: Annotated[
        str | None,
        typer.Argument(
            metavar="[REV]",
            help="An experiment, branch, tag or commit; HEAD if left out.",
            autocompletion=complete_revision,
        ),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the temporary clone.")] = False,
    workspace: Annotated[
        bool,
        typer.Option(
            "--workspace", help="Run no stage; compare the results here with those of HEAD."
        ),
    ] = False,
    as_json: AS_JSON = False,
) -> None:
    """Reproduce results from scratch; exit status 1 if they differ from the recorded ones."""
    from crivo.provenance.verification import verification_text, verify, verify_workspace

    if workspace and (revision or keep):
        raise CrivoError("--workspace compares what is here with HEAD; leave REV and --keep out.")
    found = verify_workspace() if workspace else verify(revision or "HEAD", keep=keep)
    show("verify", found, verification_text, as_json=as_json, failed=not found.reproduced)
