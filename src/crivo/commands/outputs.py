"""Guards for output paths: the files that a command may write for a user.

Never over its own inputs, nor over what git or DVC keeps; over another file only when told to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.repository.dvc_project import outs_of


def require_free(paths: Sequence[Path], inputs: Iterable[Path], *, force: bool) -> None:
    """Raise CrivoError unless all of these files may be written.

    A link counts as itself and as what it points to. `force` allows files that are there already,
    unless they are inputs, raw data, or kept by git or DVC.
    """
    sources = [path for path in inputs if path.exists()]
    roots = {root for path in paths if (root := _project_of(path)) is not None}
    outs = [out for root in roots for out in outs_of(root)]
    for path in paths:
        places = (path.parent.resolve() / path.name, path.resolve())
        for why in (_taken(path, place, sources, outs) for place in places):
            if why:
                raise CrivoError(f"{path} {why}; name another file to write.")
        if os.path.lexists(path) and not force:
            raise CrivoError(f"{path} already exists; --force replaces it.")


def _project_of(path: Path) -> Path | None:
    return next((up for up in path.resolve().parents if (up / ".dvc").is_dir()), None)


def _in_git(place: Path) -> bool:
    from crivo.repository.git import Repository

    folder = next(up for up in place.parents if up.is_dir())
    with suppress(CrivoError):  # without git there is nothing that it keeps
        return bool(Repository(folder).files("--", f":(literal){place}"))
    return False


def _taken(path: Path, place: Path, sources: Sequence[Path], outs: Sequence[Path]) -> str | None:
    """Say why a file, which is in this place, may never be written; None if it may."""
    from crivo.core.artifacts import RAW

    above = next(up for up in place.parents if up.exists())
    if not above.is_dir():
        return f"can't be written, as {above.name} isn't a folder"
    if path.exists() and any(path.samefile(source) for source in sources):
        return "is an input"
    for name, owner in ((".git", "git"), (".dvc", "DVC")):
        if name in place.parts:
            return f"is in {name}, which belongs to {owner}"
    if (_project_of(path) or Path.cwd()) / RAW in place.parents:
        return f"is in {RAW}, and raw data are never changed"
    if _in_git(place):
        return "is kept by git"
    if any(out == place or out in place.parents for out in outs):
        return "is kept by DVC"
    return "isn't a regular file" if path.exists() and not path.is_file() else None
