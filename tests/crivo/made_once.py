"""What takes seconds to make is made once for all workers of a run of the tests."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(
    factory: pytest.TempPathFactory,
    name: str,
    make: Callable[[Path], object],
    *,
    plain: bool = False,
) -> Path:
    """Return the folder of a name, which the first that asks has made; don't change what is there.

    `make` is given the folder, which is there and empty. `plain`: its path has usual letters only.
    Runs of the same code share what they make in the folder that CRIVO_MADE names.
    """
    base = factory.getbasetemp()
    # Each worker's folder is in that of the run.
    run = next((up.parent for up in base.parents if up.name.startswith("popen-")), base.parent)
    run = Path(os.environ.get("CRIVO_MADE", run))
    folder = run / ("plain" if plain else base.name) / name
    folder.parent.mkdir(exist_ok=True)
    made = folder.with_name(f"{name}.made")
    with FileLock(f"{folder}.lock"):
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            made.touch()
    return folder


def plain_folder(factory: pytest.TempPathFactory) -> Path:
    """Return a new folder whose path has usual letters only."""
    return Path(tempfile.mkdtemp(prefix="plain-", dir=factory.getbasetemp().parent))
