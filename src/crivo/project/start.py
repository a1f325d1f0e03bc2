"""`crivo start`: a team's project, committed, in one command."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from crivo.core.codepath import put_project_first
from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.project.contents import new_files
from crivo.project.flights import without_flights
from crivo.project.init import Plan, init_table
from crivo.project.request import Request
from crivo.project.wheel import running_wheel
from crivo.repository.git import run_git


@dataclass(frozen=True)
class Table:
    """The team's own data: a file or folder of files, and what its columns are."""

    source: Path
    request: Request


def start(folder: Path, table: Table | None = None) -> Plan | None:
    """Make a project in a new folder, with a table or else with the flights, and commit it.

    Returns what was found in the table. CrivoError, and nothing is made: the folder isn't empty,
    the table can't be used, or git can't commit.
    """
    place = Path(os.path.abspath(folder))  # noqa: PTH100 # a link stays what it is
    _require_free(place, folder)
    _require_identity()
    wheel = running_wheel()
    files = new_files(place.name, wheel)
    if table:
        files = without_flights(files)
    source = table.source.resolve() if table else None
    with _made_beside(place) as project:
        for path, content in files.items():
            _write(project / path, content)
        git(project, "init", "--quiet", "--initial-branch", "main")
        plan = None
        if table and source:
            put_project_first(project)  # its blocks read the table
            plan = init_table(project, source, table.request)
        git(project, "add", "--all")
        _commit(project, f"Start a project with crivo {wheel.version}")
    return plan


def _commit(project: Path, message: str) -> None:
    """Commit; CrivoError when a hook of the user's refuses, or git can't sign."""
    done = run_git(["commit", "--quiet", "--message", message], project)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or "it says no reason"
        raise CrivoError(
            f"git refused the project's first commit ({' '.join(said.split())}), so nothing was "
            "created; turn off your hook or setting that refuses it, and run this again."
        )


def _require_free(place: Path, given: Path) -> None:
    if place == Path.cwd():
        raise CrivoError("Give the name of a new folder: crivo start doesn't replace this one.")
    if not place.exists():
        return
    if not place.is_dir() or any(place.iterdir()):
        raise CrivoError(f"{given} already exists and isn't empty; give the name of a new folder.")


def _require_identity() -> None:
    """Raise CrivoError when git couldn't make a commit, nor DVC an experiment."""
    if run_git(["var", "GIT_COMMITTER_IDENT"], Path()).returncode:
        raise CrivoError(
            "git doesn't know who you are, so nothing could be committed; run `git config --global "
            "user.name NAME` and `git config --global user.email ADDRESS`, then run this again."
        )


@contextmanager
def _made_beside(place: Path) -> Iterator[Path]:
    """Give a folder beside a place, which is moved there when all went well, or is removed."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = TemporaryDirectory(prefix=f".{place.name}.", suffix=".part", dir=place.parent)
    except OSError as error:
        raise CrivoError(f"{place} can't be made: {error.strerror}.") from None
    with beside as folder:
        part = Path(folder, place.name)
        part.mkdir()
        yield part
        if place.is_dir():
            place.rmdir()
        part.rename(place)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if content.startswith(b"#!"):
        path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
