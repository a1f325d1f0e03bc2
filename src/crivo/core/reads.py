"""Refuses what a stage reads of its project and doesn't declare in `dvc.yaml`.

Python tells an audit hook of each file that it opens. `crivo.core.native_reads` does the same for
libraries that open files themselves. This finds mistakes; it doesn't stop whoever wants to cheat.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from crivo.core.native_reads import report_native_reads

if TYPE_CHECKING:
    from crivo.core.declared import StageEntry

# What every stage may read besides, and what for: nothing of it holds rows or results.
ALLOWED = {
    "*.gitignore": "git: which files are of no matter to it?",
    ".dvc/cache/files/md5/*.dir": "prepare: which files, of which hashes, is a raw folder?",
    ".dvc/config": "libraries that ask DVC: is this a project of it?",
    ".dvc/config.local": "the same",
    ".dvcignore": "the same",
    ".git": "git: which commit is this?",
    ".gitattributes": "git: how files are written",
    "data/raw/*.dvc": "prepare: are the raw files those that git records?",
    "dvc.lock": "libraries that ask DVC: which stages are there?",
    "dvc.yaml": "the same",
    "requirements.txt": "is this the environment of the lock?",
    "src/*.egg-info/*": "importlib.metadata: which packages are installed?",
    "src/*.py": "the code: `crivo check` says which of it a stage must declare",
    "src/*.pyc": "the same",
    "src/*.pyd": "the same",
    "src/*.so": "the same",
}
# An open for writing alone, or one that empties or makes a file, reads nothing.
ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
EMPTIES = os.O_TRUNC | os.O_EXCL


class Watch:
    """Watches what the script of one stage reads; `refused` has a sentence for each refusal."""

    def __init__(self, script: Path) -> None:
        self.script = script.resolve()
        self.root = self.script.parent.parent
        # A trial stands in `.dvc/tmp/exps` of the workspace.
        above = [place for place in self.root.parents if (place / "dvc.yaml").is_file()]
        self.roots = [self.root, *above]
        prefixes = [Path(place).absolute() for place in (sys.prefix, sys.base_prefix)]
        # An environment that the project itself stands in allows nothing of the project.
        self.environment = tuple(
            f"{place}{os.sep}" for place in prefixes if not self.root.is_relative_to(place)
        )
        self.made: set[Path] = set()
        self.refused: list[str] = []
        self._entry: StageEntry | None = None
        self._asking: set[int] = set()  # the threads in which a question is being answered

    def opened(self, path: str, flags: int = os.O_RDONLY) -> None:
        """Look at a file that is to be opened; CrivoError for an undeclared read."""
        if path.startswith(self.environment) and ".." not in path:  # nearly all: imports
            return
        if get_ident() in self._asking or "\0" in path:
            return
        self._asking.add(get_ident())
        try:
            self._ask(_normal(Path(path)), flags)
        finally:
            self._asking.discard(get_ident())

    def _ask(self, path: Path, flags: int) -> None:
        there = path.is_file()
        if flags & EMPTIES or (flags & os.O_CREAT and not there):
            self.made.add(path)  # what a stage makes itself comes from what it declares
        elif not there or flags & ACCESS == os.O_WRONLY or path in self.made:
            return
        elif not self._may_read(path):
            self._refuse(path)

    def _may_read(self, path: Path) -> bool:
        """Return whether no name of a file lies in the project, or one that does is declared."""
        inside = False
        for name in _names(path):
            root = next((root for root in self.roots if name.is_relative_to(root)), None)
            if root is None or str(name).startswith(self.environment):
                continue
            if self._is_declared(name.relative_to(root).as_posix(), root):
                return True
            inside = True
        return not inside

    def _is_declared(self, path: str, root: Path) -> bool:
        allowed = any(fnmatchcase(path, p) or path.startswith(f"{p}/") for p in ALLOWED)
        return allowed or (root == self.root and self.entry.covers(path))

    @property
    def entry(self) -> StageEntry:
        """The stage's entry in `dvc.yaml`."""
        if self._entry is None:
            from crivo.core.declared import stage_entry

            script = self.script.relative_to(self.root).as_posix()
            self._entry = stage_entry(self.root, script, os.environ.get("DVC_STAGE"))
        return self._entry

    def _refuse(self, path: Path) -> None:
        from crivo.core.errors import CrivoError

        name = Path(os.path.relpath(path.parent.resolve() / path.name, self.root)).as_posix()
        said = (
            f"the stage {self.entry.name} reads {name}{self._caller()}, which its entry in "
            "dvc.yaml doesn't declare; don't read it there, or add it to `deps` if the stage may "
            "know it."
        )
        self.refused.append(said)
        raise CrivoError(said)

    def _caller(self) -> str:
        """Return the place in the project's own code from which a file is being opened."""
        source = self.script.parent
        frame = sys._getframe()
        while frame.f_back is not None:
            frame = frame.f_back
            file = _normal(Path(frame.f_code.co_filename))
            if file.is_relative_to(source) and not file.is_relative_to(source / "crivo"):
                return f" ({file.relative_to(self.root).as_posix()}, line {frame.f_lineno})"
        return ""


_watches: list[Watch] = []
_expecting: list[bool] = []


def expect_watch() -> None:
    """Prepare libraries that are imported from now on for a watch that begins later."""
    if not _expecting:
        _expecting.append(True)
        report_native_reads(_opened)


def _opened(path: str) -> None:
    for watch in _watches:
        watch.opened(path)


def watch_reads(script: Path) -> None:
    """Refuse, from now on, undeclared reads by a stage script; nothing outside of a project."""
    watch = Watch(script)
    if _watches or not (watch.root / "dvc.yaml").is_file():
        return
    expect_watch()
    _watches.append(watch)
    sys.addaudithook(_hook(watch.opened))


def _hook(opened: Callable[[str, int], None]) -> Callable[[str, tuple[object, ...]], None]:
    """Return an audit hook that tells of files; a function, as Python calls methods slowly here."""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str | bytes) and isinstance(flags, int):
                opened(os.fsdecode(path), flags)
        elif event == "sqlite3.connect" and isinstance(arguments[0], str | bytes):
            opened(os.fsdecode(arguments[0]), os.O_RDWR)

    return hook


def require_declared_reads() -> None:
    """Raise the CrivoError of the first refused read again, in case a block has caught it."""
    from crivo.core.errors import CrivoError

    for watch in _watches:
        if watch.refused:
            raise CrivoError(watch.refused[0])


def _names(path: Path) -> Iterator[Path]:
    """Give the names of a file: as it is opened, without links in its folder, without any."""
    yield path
    yield path.parent.resolve() / path.name
    yield path.resolve()


def _normal(path: Path) -> Path:
    """Return a path from the root without `..`; links in it stay, as they may be declared."""
    return Path(os.path.normpath(path.absolute()))
