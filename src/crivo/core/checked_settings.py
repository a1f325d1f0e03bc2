"""Settings of blocks that a stage has found right, so that those after it need not check them.

A stage imports the file of each block in `params.yaml`, also of those that it doesn't use, only to
check their settings. A stage that is forked after another one takes its word, while these settings
and all of the project's own code are the same.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

from crivo.core import handed_on

# Below `src`: the library, which a process that forks has imported, and what Python writes itself.
IGNORED = {"crivo", "__pycache__"}


class CheckedSettings:
    """What is known of blocks' settings while the project's code is as it is now."""

    def __init__(self) -> None:
        self._code = _state_of_code() if handed_on.is_on() else ""

    def is_right(self, kind: str, name: str, settings: Any) -> bool:
        """Return whether an earlier stage has found the settings of a block right."""
        return handed_on.found(self._key(kind, name, settings))

    def note_right(self, kind: str, name: str, settings: Any) -> None:
        """Tell later stages that a block takes its settings."""
        handed_on.once(self._key(kind, name, settings), lambda: True)

    def _key(self, kind: str, name: str, settings: Any) -> str:
        return f"settings {kind} {name} {settings!r} {self._code}"


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
