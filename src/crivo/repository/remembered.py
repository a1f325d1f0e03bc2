"""A disk cache of computed values below `.dvc/tmp`: deleting it costs only time.

A value's key is a digest of all that it was worked out from, the code with it, so that a value is
never out of date. Each stands in a line of its own with its key and a digest of both: what doesn't
fit was damaged and is unknown. Where nothing can be read or written there, nothing is remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(".dvc/tmp/crivo/remembered.txt")
# A larger file is begun anew.
MAX_BYTES = 200_000_000


class Remembered:
    """The values that a project remembers by their keys; each is what JSON can hold."""

    def __init__(self, project: Path) -> None:
        self._place = project / FILE
        self._usable = (project / ".dvc").is_dir()

    def recall(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return the values of those keys that are known."""
        wanted, found = {key.encode() for key in keys}, dict[str, Any]()
        with suppress(OSError, ValueError), self._place.open("rb") as lines:
            for line in lines:
                key, _, rest = line.partition(b" ")
                checksum, _, value = rest.rstrip(b"\n").partition(b" ")
                if key in wanted and digest(key, value).encode() == checksum:
                    found[key.decode()] = json.loads(value)
        return found

    def value(self, key: str, worked_out: Callable[[], Any]) -> Any:
        """Return the value of a key, which is worked out where it isn't known."""
        known = self.recall([key])
        if key not in known:
            known = {key: worked_out()}
            self.keep(known)
        return known[key]

    def keep(self, values: Mapping[str, Any]) -> None:
        """Remember values; one that JSON would change is left out."""
        texts = {key: text for key, value in values.items() if (text := _exact(value))}
        if not (self._usable and texts):
            return
        with suppress(OSError):
            if self._place.is_file() and self._place.stat().st_size > MAX_BYTES:
                self._place.unlink()
            self._place.parent.mkdir(parents=True, exist_ok=True)
            self._place.with_suffix(".sqlite").unlink(missing_ok=True)  # an earlier version's
            # One write, so that two processes' lines don't mix; before a line, half of another one
            # ends.
            lines = (f"\n{key} {digest(key, text)} {text}" for key, text in texts.items())
            with self._place.open("ab", buffering=0) as file:
                file.write("".join(lines).encode())


NO_MEMORY = Remembered(Path(os.devnull))


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
