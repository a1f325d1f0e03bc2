"""Makes results again on another machine, which is the stronger proof."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.experiments.engine.choice import engine_of
from crivo.experiments.engine.remote import RemoteEngine
from crivo.experiments.engine.state import State
from crivo.experiments.engine.worker import unpacked
from crivo.experiments.history import read_history
from crivo.provenance.lookup import exact_record
from crivo.provenance.verification import Verification, shown_name, verify


def verify_elsewhere(
    revision: str, scheduler: str, folder: Path = Path(), *, remote: str | None = None
) -> Verification:
    """Have a worker of a cluster run a commit or experiment from scratch, and compare.

    CrivoError: as for `verify`, or the worker can't do it.
    """
    history = read_history(folder)
    record = exact_record(history, revision)
    commit = record.origin.revision
    with engine_of(scheduler, record, remote)(history, 1) as engine:
        if not isinstance(engine, RemoteEngine):
            raise CrivoError("This scheduler runs nothing elsewhere.")
        result = engine.call(f"the verification of {revision}", verify_there, commit).result()
    return replace(result, name=shown_name(revision, commit))


def verify_there(state: State, commit: str) -> Verification:
    """Run a commit from scratch on this worker, and compare its results."""
    return verify(commit, folder=unpacked(state).home.project)
