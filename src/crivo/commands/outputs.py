"""Guards for output paths: the files that a command may write for a user.

Never over its own inputs, nor over what git or DVC keeps; over another file only when told to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.repository.dvc_project import outs_of
from crivo.repository.worktree import in_git

# The folders of git and DVC, and whose they are.
OWN = {".git": "git", ".dvc": "DVC"}


def require_free(paths: Sequence[Path], inputs: Iterable[Path], *, force: bool) -> None:
    """Raise CrivoError unless all of these files may be written.

    A link counts as what it points to, and as itself. `force` allows files that are there
    already, unless they are inputs, raw data, or kept by git or DVC.
    """
    sources = [path for path in inputs if path.exists()]
    outs: dict[Path, list[Path]] = {}
    for path in paths:
        _require_folder(path)
        _require_no_input(path, sources)
        for place in dict.fromkeys((_entry(path), Path(os.path.realpath(path)))):
            _require_not_kept(path, place, outs)
        if path.exists() and not path.is_file():
            raise CrivoError(f"{path} isn't a regular file; name another file to write.")
        if os.path.lexists(path) and not force:
            raise CrivoError(f"{path} already exists; --force replaces it.")


def _entry(path: Path) -> Path:
    """Return where a path itself is, though what it names may be a link."""
    return Path(os.path.realpath(path.parent)) / path.name


def _require_folder(path: Path) -> None:
    """Raise CrivoError when a path leads through what isn't a folder."""
    above = next((up for up in path.parents if up.exists()), Path())
    if not above.is_dir():
        raise CrivoError(f"{above} isn't a folder, so {path} can't be written; name another place.")


def _require_no_input(path: Path, sources: Sequence[Path]) -> None:
    for source in sources:
        if path.exists() and path.samefile(source):
            link = "" if path == source else f" ({source})"
            raise CrivoError(f"{path} is an input{link}; name another file to write.")


def _require_not_kept(path: Path, place: Path, outs: dict[Path, list[Path]]) -> None:
    from crivo.core.artifacts import RAW

    for name, owner in OWN.items():
        if name in place.parts:
            raise CrivoError(f"{path} is in {name}, which belongs to {owner}; name another file.")
    root = next((up for up in place.parents if (up / ".dvc").is_dir()), None)
    if (root or Path.cwd()) / RAW in place.parents:
        raise CrivoError(f"{path} is in {RAW}, and raw data are never changed; name another file.")
    if in_git(place):
        raise CrivoError(f"git keeps {path}; name a file that it doesn't track.")
    if root is not None:
        if root not in outs:
            outs[root] = outs_of(root)
        if any(out == place or out in place.parents for out in outs[root]):
            raise CrivoError(f"DVC keeps {path}; name a file that it doesn't track.")
