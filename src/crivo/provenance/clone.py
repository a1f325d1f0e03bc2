"""A temporary clone with nothing in it but a commit and its raw data, where stages run anew.

The clone has a DVC cache of its own, so nothing that was computed before can answer for a stage.
The project's cache is only read, for raw data.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crivo.repository.clones import clone_at
from crivo.repository.git import Repository


@contextmanager
def fresh_clone(home: Repository, revision: str, *, keep: bool) -> Iterator[Repository]:
    """Give a temporary clone that stands at a commit; its folder is removed unless it is kept."""
    folder = Path(tempfile.mkdtemp(prefix="crivo-"))
    try:
        yield clone_at(home, folder / "project", revision, revision)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
