"""The files of a checkout that trials are run in: what git has there, what comes from the cache.

The checkout belongs to the trials alone. It is remembered what is there, so that one that has
served is brought to the next trial's state by few files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.repository.cache import Cache
from crivo.repository.cache_store import Content, Files, Store, remove
from crivo.repository.definitions import PIPELINE, Definitions, Unsupported
from crivo.repository.worktree import WorkTree


class CheckoutFiles:
    """The files of a checkout, by their paths in the project."""

    def __init__(self, root: Path, repo: Any, remote: Files | None = None) -> None:
        self.root, self._repo = root, repo
        mode = int(getattr(repo.cache.local, "_dir_mode", 0o777))
        self.store = Store(Cache(root), self._files_in, mode, remote)
        self._read: dict[str, Content] = {}
        self._there: dict[str, str] = {}
        self._ignored: set[str] = set()
        self._folders: set[str] = set()  # what git ignores only if it is a folder

    def _files_in(self, folder: Path) -> Iterator[Path]:
        return map(Path, self._repo.dvcignore.find(self._repo.fs, str(folder)))

    def require_simple(self, definitions: Definitions) -> None:
        """Raise Unsupported for what DVC would write into `.gitignore` or a `.dvc` file."""
        self._require_ignored(definitions.cached)
        for path, content in definitions.raw.items():
            place = self.root / path
            if path in self._there or not place.exists():
                continue
            if self.store.content(place).md5 != content.md5:
                raise Unsupported(f"changed raw data ({path}) are left to DVC.")
            self._there[path] = content.md5

    def _require_ignored(self, cached: set[str]) -> None:
        if cached <= self._ignored:
            return
        # With a slash it is judged as a folder, which it may become.
        paths = [f"{out}{end}" for out in cached for end in ("", "/")]
        said = WorkTree(self.root).ignored_by(paths)
        ignored = {path.rstrip("/") for path in said}
        if not cached <= ignored:
            raise Unsupported("an output that git doesn't ignore yet is left to DVC.")
        self._folders |= ignored - said.keys()
        self._ignored |= ignored

    def read(self, path: str) -> Content:
        """Return the hash of a file of git's, or a folder of such files, which no trial changes."""
        if path not in self._read:
            place = self.root / path
            if not place.exists():
                raise CrivoError(
                    f"{path} is not there, and a stage depends on it; bring it, or take it out of "
                    f"{PIPELINE}."
                )
            self._read[path] = self.store.content(place)
        return self._read[path]

    def bring(self, outs: Mapping[str, Content]) -> None:
        """Let files and folders from the cache be there."""
        for path, content in outs.items():
            place = self.root / path
            known = self._there.get(path)
            if known is None and place.exists():
                known = self.store.content(place).md5
            if known != content.md5:
                self.take_away(path)
                self.store.fetch(content.md5, place)
            self._there[path] = content.md5

    def take_away(self, path: str) -> None:
        """Let a file or folder not be there."""
        self._there.pop(path, None)
        remove(self.root / path)

    def forget(self, path: str) -> None:
        """Take a file for one that git may have changed."""
        self._there.pop(path, None)

    def keep(self, path: str) -> Content:
        """Put what a stage has written into the cache."""
        place = self.root / path
        if path in self._folders and not place.is_dir():
            raise Unsupported(f"git ignores {path} only as a folder, which only DVC handles.")
        content = self.store.content(place, keep=True)
        self._there[path] = content.md5
        return content

    def has(self, path: str, md5: str, *, cached: bool) -> bool:
        """Whether an output can be had: from the cache, or as a file that git tracks."""
        if cached:
            return self.store.has(md5)
        return (self.root / path).exists() and self.read(path).md5 == md5
