"""Settings of blocks that a stage has found right, so that those after it need not check them.

A stage imports the file of each block in `params.yaml`, also of those that it doesn't use, only to
check their settings. Of the stages that are forked from one process, the first one tells which
settings were right; a later one takes its word for blocks that it doesn't use, while these settings
and all of the project's own code are the same. In other processes everything is checked.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from typing import Any

# Below `src`: the library, which a process that forks has imported, and what Python writes itself.
IGNORED = {"crivo", "__pycache__"}

# None: this process isn't one of those.
_right: set[str] | None = None
_confirmed: dict[str, None] = {}


def hold(keys: Iterable[str]) -> None:
    """Let the forks of this process take for right what one of them has confirmed."""
    global _right
    _right = set(keys)


def confirmed() -> list[str]:
    """Return what this process has found right, or has taken for right, as `hold` takes it."""
    return [*_confirmed]


class CheckedSettings:
    """What is known of blocks' settings while the project's code is as it is now."""

    def __init__(self) -> None:
        self._code = "" if _right is None else _state_of_code()

    def is_right(self, kind: str, name: str, settings: Any) -> bool:
        """Return whether a block's settings were found right before this process was forked."""
        key = self._key(kind, name, settings)
        if not _right or key not in _right:
            return False
        _confirmed[key] = None
        return True

    def note_right(self, kind: str, name: str, settings: Any) -> None:
        """Remember that a block takes its settings."""
        if _right is not None:
            _confirmed[self._key(kind, name, settings)] = None

    def _key(self, kind: str, name: str, settings: Any) -> str:
        return f"{kind} {name} {settings!r} {self._code}"


def _state_of_code() -> str:
    """Return a text that is another one once a file of the project's own code was written."""
    state = hashlib.blake2b(digest_size=16)
    for folder, folders, files in os.walk("src"):
        folders[:] = sorted({*folders} - IGNORED)
        for name in sorted(files):
            file = os.stat(path := os.path.join(folder, name))  # noqa: PTH116, PTH118 - quick
            seen = (path, file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns)
            state.update(repr(seen).encode())
    return state.hexdigest()
