"""Everything that a trial must leave as it was: files, index, stash, branch."""

import subprocess
from pathlib import Path


def state_of(folder: Path) -> dict[str, object]:
    """Return the bytes and modes of the files, git's index, its stash, and what HEAD is."""
    return {
        "files": {
            path.relative_to(folder).as_posix(): _content(path)
            for path in sorted(folder.rglob("*"))
            if not _own(path.relative_to(folder))
        },
        "index": (folder / _ask(folder, "rev-parse", "--git-path", "index")).read_bytes(),
        "lock": (folder / _ask(folder, "rev-parse", "--git-path", "index.lock")).exists(),
        "stash": _ask(folder, "stash", "list"),
        "queue": _ask(folder, "for-each-ref", "refs/exps/stash"),
        "head": _ask(folder, "rev-parse", "--symbolic-full-name", "HEAD"),
        "commit": _ask(folder, "rev-parse", "HEAD"),
    }


def _own(path: Path) -> bool:
    """Whether a path is git's or DVC's own."""
    return ".git" in path.parts or (
        ".dvc" in path.parts and not {"tmp", "cache"}.isdisjoint(path.parts)
    )


def _content(path: Path) -> object:
    if path.is_symlink():
        return path.readlink()
    return (path.stat().st_mode, path.read_bytes()) if path.is_file() else "folder"


def _ask(folder: Path, *command: str) -> str:
    done = subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()
