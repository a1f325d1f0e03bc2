"""The settings as a stage gets them: those that its entry in `dvc.yaml` declares."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import Params, Section
from crivo.runtime.read_guard import current_entry, imported_code
from crivo.runtime.stage_inputs import StageEntry

# Where a run notes what it has read; `crivo check` compares it with what the stages declare.
NOTES = Path(".dvc/tmp/crivo")


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
                "dvc.yaml doesn't declare; add it to `params`, or a change of it leaves old "
                "results."
            )
        self._read.add(key)


def declared_params(params: Params, read: set[str]) -> Params:
    """Return the settings as the running stage declares them; all of them outside of a project."""
    entry = current_entry()
    return params if entry is None else cast(Params, DeclaredParams(params, entry, read))


def note_reads(read: set[str]) -> None:
    """Note which of its declarations the stage that has run made use of."""
    entry = current_entry()
    if entry is None or not NOTES.parents[1].is_dir():
        return
    code = imported_code()
    used = [name for name in entry.files if any(_lies_in(name, path) for path in code)]
    noted = {"files": entry.files, "settings": entry.settings, "read": sorted(read), "code": used}
    with suppress(OSError):  # a note that is missing says nothing
        NOTES.mkdir(parents=True, exist_ok=True)
        (NOTES / f"{entry.name}.json").write_text(json.dumps(noted), encoding="utf-8")


def noted_reads(root: Path, entry: StageEntry) -> Mapping[str, Any] | None:
    """Return what a stage noted of its last run; None if its declarations are others by now."""
    try:
        noted = json.loads((root / NOTES / f"{entry.name}.json").read_text(encoding="utf-8"))
        same = [*map(tuple, (noted["files"], noted["settings"]))] == [entry.files, entry.settings]
    except (OSError, ValueError, TypeError, LookupError):
        return None
    return cast(Mapping[str, Any], noted) if same else None


def _lies_in(name: str, path: str) -> bool:
    return path == name or path.startswith(f"{name}/")
