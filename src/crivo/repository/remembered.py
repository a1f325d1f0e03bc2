"""A cache of computed values below `.dvc/tmp`: deleting it costs only time.

A value's key is a digest of all that it was worked out from, the code with it, so that a value is
never out of date. Beside it is a digest of both: what doesn't fit was damaged and is unknown.
Where nothing can be read or written there, nothing is remembered.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(".dvc/tmp/crivo/remembered.sqlite")
# A larger file is begun anew.
MAX_BYTES = 200_000_000
# Versions before this one kept values without checksums, in another table.
TABLE = "checked"
PATIENCE = 2.0


class Remembered:
    """The values that a project remembers by their keys; each is what JSON can hold."""

    def __init__(self, project: Path) -> None:
        self._place = project / FILE
        self._usable = (project / ".dvc").is_dir()

    def recall(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return the values of those keys that are known."""
        found: dict[str, Any] = {}
        if not (self._usable and self._place.is_file()):
            return found
        wanted = f"SELECT key, value, checksum FROM {TABLE} WHERE key IN "
        with suppress(sqlite3.Error, ValueError), closing(self._open()) as base:
            rows = base.execute(f"{wanted}(SELECT value FROM json_each(?))", [json.dumps([*keys])])
            for key, value, checksum in rows:
                if isinstance(value, str) and digest(key, value) == checksum:
                    found[key] = json.loads(value)
        return found

    def keep(self, values: Mapping[str, Any]) -> None:
        """Remember values; one that JSON would change is left out."""
        texts = {key: text for key, value in values.items() if (text := _exact(value))}
        rows = [(key, text, digest(key, text)) for key, text in texts.items()]
        if not (self._usable and rows):
            return
        with suppress(OSError, sqlite3.Error):
            if self._place.is_file() and self._place.stat().st_size > MAX_BYTES:
                self._place.unlink()
            self._place.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as base, base:
                columns = "key TEXT PRIMARY KEY, value TEXT, checksum TEXT"
                base.execute(f"CREATE TABLE IF NOT EXISTS {TABLE} ({columns})")
                base.executemany(f"INSERT OR REPLACE INTO {TABLE} VALUES (?, ?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._place, timeout=PATIENCE)


def _exact(value: Any) -> str:
    """Return a value as JSON, or nothing where reading that gives another value."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        return ""
    return text if repr(json.loads(text)) == repr(value) else ""


def digest(*parts: bytes | str) -> str:
    """Return a key of what a value is worked out from."""
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "big") + data)
    return made.hexdigest()


@cache
def code_of(*modules: ModuleType) -> str:
    """Return a digest of modules' sources, which values that they work out depend on."""
    return digest(*(Path(module.__file__ or "").read_bytes() for module in modules))
