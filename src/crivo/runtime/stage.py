"""Runs a stage: settings and environment checked first, errors told in one sentence.

The stage gets the settings that its entry in `dvc.yaml` declares, and no others.
"""

from __future__ import annotations

from crivo.runtime.messages import log_to_terminal, one_sentence

import json
import logging
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any, cast

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import Params, Section, read_params
from crivo.core.threads import limited_threads
from crivo.runtime.environment import locked_packages_only, require_locked_environment
from crivo.runtime.read_guard import (
    StageEntry,
    any_code,
    current_entry,
    imported_code,
    lies_in,
    require_declared_reads,
)

log = logging.getLogger("crivo")

# Where a run notes what it has read; `crivo check` compares it with what the stages declare.
NOTES = Path(".dvc/tmp/crivo")
# Seconds of a step that aren't told, and the most between two lines about it.
SLOW, EVERY = 15.0, 60.0
KEPT = "finished stages are kept. `dvc repro` runs this one again."


def run_stage(stage: Callable[[Params], None]) -> None:
    """Run one stage with the checked settings; exit with 1 and a sentence when it can't.

    `CRIVO_LOG=debug` shows more, `warning` less, and tracebacks come with `debug`.
    """
    # The command that runs a trial says how to continue.
    with one_sentence(stage.__name__, "" if "DVC_EXP_NAME" in os.environ else KEPT):
        log_to_terminal(f"{stage.__name__}: %(warning)s%(message)s")
        warnings.showwarning = _log_warning
        with any_code():
            params = read_params()
        require_locked_environment()
        read: set[str] = set()
        with limited_threads(), locked_packages_only():
            entry = current_entry()
            seen = params if entry is None else DeclaredParams(params, entry, read)
            stage(cast(Params, seen))
        require_declared_reads()
        note_reads(read)


def _log_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Log what a library warns of in one line, without a place in its code."""
    log.warning("%s: %s", category.__name__, str(message).strip().partition("\n")[0].rstrip(": "))


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Say in the log after 15, 30 and 60 seconds of a step, and then every minute.

    Call what is given, with the step's name, at the start of each step, and with more about it
    (`fit, iteration 20`) meanwhile.
    """
    over = Event()
    at = SimpleNamespace(name="start", words="start", begun=time.monotonic(), next=SLOW)

    def step(name: str) -> None:
        at.words = name
        if not name.startswith(f"{at.name}, "):
            at.name, at.begun, at.next = name, time.monotonic(), SLOW

    def tell() -> None:
        while not over.wait(1):
            if (seconds := time.monotonic() - at.begun) >= at.next:
                log.info("%s: %.0f s so far", at.words, seconds)
                at.next += min(at.next, EVERY)

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield step
    finally:
        over.set()
        teller.join()


class DeclaredParams:
    """A section of the settings that refuses what the stage doesn't declare.

    A section that is declared as a whole is given as it is. `read`: the keys that were read.
    """

    def __init__(self, section: Section, entry: StageEntry, read: set[str], key: str = "") -> None:
        self._section, self._entry, self._read, self._key = section, entry, read, key

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._section, name)
        if name not in type(self._section).model_fields:  # worked out from settings
            return vars(type(self._section))[name].fget(self)
        key = f"{self._key}.{name}".removeprefix(".")
        if isinstance(value, Section) and not self._entry.declares(key):
            return DeclaredParams(value, self._entry, self._read, key)
        self._require(key)
        return value

    def block(self, kind: str) -> Any:
        """Return the block of a kind that the settings choose, with its settings."""
        self._require(f"{KINDS[kind][0]}.{getattr(self, kind)}")
        return cast(Params, self._section).block(kind)

    def _require(self, key: str) -> None:
        if not self._entry.declares(key):
            raise CrivoError(
                f"the stage {self._entry.name} reads the setting {key}, which its entry in "
                f"dvc.yaml doesn't declare; add the line `- {key}` to its `params`, or results "
                "won't be updated when it changes."
            )
        self._read.add(key)


def note_reads(read: set[str]) -> None:
    """Note which of its declarations the stage that has run made use of."""
    entry = current_entry()
    if entry is None or not NOTES.parents[1].is_dir():
        return
    code = imported_code()
    used = [
        name
        for name in entry.files
        # A stub is read with its module.
        if _is_empty(Path(name))
        or any(lies_in(path, [name.replace(".pyi", ".py")]) for path in code)
    ]
    noted = {"files": entry.files, "settings": entry.settings, "read": sorted(read), "code": used}
    with suppress(OSError):  # a note that is missing says nothing
        NOTES.mkdir(parents=True, exist_ok=True)
        (NOTES / f"{entry.name}.json").write_text(json.dumps(noted), encoding="utf-8")


def noted_reads(root: Path, entry: StageEntry) -> Mapping[str, Any] | None:
    """Return what a stage noted of its last run; None if its declarations are others by now."""
    with suppress(OSError, ValueError, TypeError, LookupError):
        noted = json.loads((root / NOTES / f"{entry.name}.json").read_text(encoding="utf-8"))
        if (tuple(noted["files"]), tuple(noted["settings"])) == (entry.files, entry.settings):
            return cast(Mapping[str, Any], noted)
    return None


def _is_empty(path: Path) -> bool:
    """Whether this is a folder without code so far, such as that of the team's own metrics."""
    return path.is_dir() and not any(file.stat().st_size for file in path.rglob("*.py"))
