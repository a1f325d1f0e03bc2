"""Runs a past experiment again with other settings, in a temporary clone.

The clone stands at the experiment's own code and settings and shares the DVC cache, so what is
known isn't computed again. The workspace is not touched: only the finished experiment comes
back, as a reference of git's. A killed run leaves nothing in the project.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from crivo.core.errors import CrivoError
from crivo.experiments.git import Repository
from crivo.experiments.history import EXPERIMENTS
from crivo.experiments.records import Record

# Lines of a failed run that are shown.
SHOWN = 12


@dataclass(frozen=True)
class Sandbox:
    """A temporary clone that stands at a past experiment."""

    clone: Repository
    home: Repository
    base: str

    def run(
        self,
        name: str,
        settings: Sequence[str],
        message: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Run one experiment, bring it home and return its reference.

        CrivoError with DVC's last words when it fails.
        """
        command = ["--wait-for-lock", "exp", "run", "--temp", "--name", name]
        command += [part for setting in settings for part in ("--set-param", setting)]
        command += ["--message", message] if message else []
        done = run_dvc(command, self.clone.project, environment)
        if done.returncode:
            words = f"{done.stdout}\n{done.stderr}".strip().splitlines()[-SHOWN:]
            raise CrivoError(
                "\n".join([f"The experiment {name} failed. DVC's last words:", *words])
            )
        ref = require_recorded(self.clone, self.base, name)
        options = ("--quiet", "--no-tags", "--no-write-fetch-head")
        self.home.git("fetch", *options, str(self.clone.top), f"{ref}:{ref}")
        return ref


def base_of(record: Record) -> str:
    """Return the commit that an experiment started from; a commit is its own."""
    return (record.origin.parent or "") if record.origin.trial else record.origin.revision


def require_recorded(repository: Repository, base: str, name: str) -> str:
    """Return the reference of an experiment that was run; CrivoError when there is none.

    DVC says nothing, and exits with status 0, when a disk is full as it records one.
    """
    ref = f"{EXPERIMENTS}/{base[:2]}/{base[2:]}/{name}"
    if repository.commit(ref) is None:
        raise CrivoError(
            f"The experiment {name} ran and DVC did not record it, without a reason: look for a "
            "full disk, make room, and run it again."
        )
    return ref


def run_dvc(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    *,
    capture: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a DVC command with the Python that runs this."""
    return subprocess.run(
        [sys.executable, "-m", "dvc", *arguments],
        cwd=folder,
        env=stage_environment(environment),
        capture_output=capture,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def stage_environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return environment variables with which stages run by the Python that runs this.

    The stages say `python src/train.py`: they must find the environment's Python.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, **(changes or {})}


@contextmanager
def sandbox(home: Repository, record: Record) -> Iterator[Sandbox]:
    """Give a temporary clone that stands at a record's code and settings."""
    base = base_of(record)
    for revision in (base, record.origin.revision):
        if home.commit(revision) is None:
            raise CrivoError(
                f"{record.name} can't be run again: its commit {revision[:7]} is not in this "
                "clone; fetch it first (`git fetch`, in a shallow clone with --unshallow)."
            )
    folder = Path(tempfile.mkdtemp(prefix="crivo-"))
    try:
        clone = clone_at(home, folder / "project", base, record.origin.revision)
        _share_cache(home, clone)
        yield Sandbox(clone, home, base)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clone_at(home: Repository, place: Path, base: str, revision: str) -> Repository:
    """Clone without copying objects: the record's files on top of the commit it started from."""
    home.git("clone", "--quiet", "--shared", "--no-checkout", str(home.top), str(place))
    clone = Repository(place, home.prefix)
    clone.git("checkout", "--quiet", "--detach", revision)
    clone.git("reset", "--quiet", "--soft", base)
    for key in ("user.name", "user.email"):
        value = home.git("config", key, check=False).strip()
        if value:
            clone.git("config", key, value)
    return clone


def _share_cache(home: Repository, clone: Repository) -> None:
    """Let the clone use the project's cache, and the settings that DVC keeps out of git."""
    from dvc.config import Config
    from dvc.repo import Repo

    cache = Repo(str(home.project)).cache
    local = home.project / ".dvc" / "config.local"
    if local.exists():
        shutil.copy(local, clone.project / ".dvc" / "config.local")
    with Config(str(clone.project / ".dvc")).edit("local") as config:
        config["cache"]["dir"] = str(cache.local_cache_dir)
    for file in clone.project.glob("data/raw/*.dvc"):
        _bring(file, home.project / file.relative_to(clone.project), cache.local)


def _bring(file: Path, original: Path, cache: Any) -> None:
    """Copy raw data that were fetched and never entered the cache; DVC verifies their hash."""
    for out in yaml.safe_load(file.read_text(encoding="utf-8")).get("outs", ()):
        source, target = original.parent / out["path"], file.parent / out["path"]
        if cache.exists(str(out.get("md5"))) or not source.exists():
            continue
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
