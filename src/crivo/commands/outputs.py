"""Guards for output paths: the files that a command may write for a user.

Inputs, raw data and files in git are never overwritten, other files only when the user says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from crivo.core.errors import CrivoError


def require_free(paths: Sequence[Path], inputs: Iterable[Path], *, force: bool) -> None:
    """Raise CrivoError unless all of these files may be written.

    A link counts as itself and as what it points to. `force` allows files that are there already,
    unless they are inputs, raw data, or kept by git.
    """
    sources = [path for path in inputs if path.exists()]
    for path in paths:
        if why := _taken(path, sources):
            raise CrivoError(f"{path} {why}; name another file to write.")
        if os.path.lexists(path) and not force:
            raise CrivoError(f"{path} already exists; --force replaces it.")


def _taken(path: Path, sources: Sequence[Path]) -> str | None:
    """Say why a file may never be written; None if it may."""
    from crivo.core.artifacts import RAW

    above = next(up for up in path.resolve().parents if up.exists())
    if not above.is_dir():
        return f"can't be written, as {above.name} isn't a folder"
    if path.exists() and any(path.samefile(source) for source in sources):
        return "is an input"
    places = (path.parent.resolve() / path.name, path.resolve())
    if any((up / RAW) in place.parents for place in places for up in place.parents):
        return f"is in {RAW}, and raw data are never changed"
    if any(_in_git(place) for place in places):
        return "is tracked by git"
    return "isn't a regular file" if path.exists() and not path.is_file() else None


def _in_git(place: Path) -> bool:
    from crivo.repository.git import Repository

    folder = next(up for up in place.parents if up.is_dir())
    with suppress(CrivoError):  # without git there is nothing that it keeps
        return ".git" in place.parts or bool(Repository(folder).files("--", f":(literal){place}"))
    return False
