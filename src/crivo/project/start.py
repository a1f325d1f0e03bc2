"""`crivo start FOLDER`: makes a team's project in a new folder and commits it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from crivo.core.codepath import put_project_first
from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.project.contents import new_files, write_files
from crivo.project.init import Plan, init_table
from crivo.project.request import Request
from crivo.project.wheel import running_wheel
from crivo.repository.git import Repository


def start(folder: Path, data: Path | None, request: Request) -> Plan | None:
    """Make a project in a new folder, with a table or else with the flights, and commit it.

    `data`: a file or folder of files, of which `request` says what its columns are.
    Returns what was found in the table. CrivoError, and nothing is made: the folder isn't empty,
    the table can't be used, or git can't commit.
    """
    place = Path(os.path.abspath(folder))  # noqa: PTH100 # a link stays what it is
    if place == Path.cwd():
        raise CrivoError("Give the name of a new folder: crivo start doesn't replace this one.")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise CrivoError(f"{folder} already exists and isn't empty; give the name of a new folder.")
    Repository(Path()).require_identity()
    wheel = running_wheel()
    with _made_beside(place) as project:
        write_files(project, new_files(place.name, wheel))
        git(project, "init", "--quiet", "--initial-branch", "main")
        plan = None
        if data:
            put_project_first(project)  # its blocks read the table
            plan = init_table(project, data.resolve(), request)
        git(project, "add", "--all")
        said = f"Start a project with crivo {wheel.version}"
        Repository(project).git("commit", "--quiet", "--message", said)
    return plan


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
