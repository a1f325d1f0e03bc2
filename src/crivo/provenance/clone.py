"""A temporary clone with nothing in it but a commit and its raw data, where stages run anew.

The clone has a DVC cache of its own, so nothing that was computed before can answer for a stage.
The project's cache is only read, for raw data.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from crivo.experiments.clones import clone_at
from crivo.experiments.git import Repository
from crivo.experiments.sandbox import SHOWN, stage_environment

log = logging.getLogger("crivo.verify")

RUNNING = "Running stage '"


@contextmanager
def fresh_clone(home: Repository, revision: str, *, keep: bool) -> Iterator[Repository]:
    """Give a temporary clone that stands at a commit; its folder is removed unless it is kept."""
    folder = Path(tempfile.mkdtemp(prefix="crivo-"))
    try:
        yield clone_at(home, folder / "project", revision, revision)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Failure:
    """A stage that failed, and the last lines that were printed."""

    stage: str
    words: tuple[str, ...]


def run_pipeline(
    clone: Repository, stage: str | None = None, environment: Mapping[str, str] | None = None
) -> Failure | None:
    """Run every stage of a clone, or one of them, whatever is up to date; say what failed."""
    # Without --no-commit, the run cache would be written, and asked.
    command = [sys.executable, "-m", "dvc", "repro", "--force", "--no-commit"]
    command += ["--single-item", stage] if stage else []
    running, words = stage or "", deque[str](maxlen=SHOWN)
    with subprocess.Popen(
        command,
        cwd=clone.project,
        env=stage_environment(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            if line.startswith(RUNNING):
                running = line.removeprefix(RUNNING).split("'")[0]
                log.info("Running %s%s ...", running, " once more" if stage else "")
            elif line.strip():
                words.append(line.rstrip())
    return Failure(running, tuple(words)) if process.returncode else None
