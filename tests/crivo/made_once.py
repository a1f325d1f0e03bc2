"""What takes seconds to make is made once for all workers of a run of the tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of a name, which the first that asks has made; don't change what is there.

    `make` is given the folder, which is there and empty.
    """
    base = factory.getbasetemp()
    # Each worker's folder is in that of the run.
    folder = (base.parent if base.name.startswith("popen-") else base) / name
    made = folder.with_name(f"{name}.made")
    with FileLock(f"{folder}.lock"):
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            made.touch()
    return folder
