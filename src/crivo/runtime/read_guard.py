"""Refuses to let a stage read files of its project that it doesn't declare in `dvc.yaml`.

Python tells an audit hook of each file that it opens. pyarrow, by which pandas reads Parquet,
opens files itself, in C++, so its functions that take paths are wrapped. So is `os.open`, because
the hook doesn't see its `dir_fd`. This finds mistakes; it doesn't stop anyone from cheating.
What the stage declares is read without DVC, whose own reading is in `repository.pipeline`.
"""

from __future__ import annotations

import os
import posixpath
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from crivo.core.errors import CrivoError
from crivo.core.parsing import read_yaml

PIPELINE, PARAMS = "dvc.yaml", "params.yaml"
PATHS = ("deps", "outs", "metrics", "plots")
TEMPLATE = re.compile(r"\$\{\s*([^}]*?)\s*\}")
# What every stage may read besides, and what for: nothing of it holds rows or results.
ALLOWED = {
    "*.gitignore": "git: which files are of no matter to it?",
    ".dvc/config": "libraries that ask DVC: is this a project of it?",
    ".dvc/config.local": "the same",
    ".dvcignore": "the same",
    ".git": "git: which commit is this?",
    ".gitattributes": "git: how files are written",
    "data/raw/*.dvc": "prepare: are the raw files those that git records?",
    "dvc.lock": "libraries that ask DVC: which stages are there?",
    "dvc.yaml": "the same",
    "requirements.txt": "is this the environment of the lock?",
    "src/*.egg-info": "importlib.metadata: which packages are installed?",
}
# The project's code, which a stage imports as far as it declares it.
CODE = "src"
CODE_SUFFIXES = (".py", ".pyc", ".pyd", ".so")
# An open for writing alone, or one that empties or makes a file, reads nothing.
ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
EMPTIES = os.O_TRUNC | os.O_EXCL
# What in pyarrow opens files by their paths. A name that a version lacks is left out.
NATIVE = {
    "pyarrow": ("memory_map",),
    "pyarrow.dataset": ("dataset",),
    "pyarrow.feather": ("read_feather", "read_table"),
    "pyarrow.parquet": (
        "ParquetDataset",
        "ParquetFile",
        "read_metadata",
        "read_schema",
        "read_table",
    ),
}


@dataclass(frozen=True)
class StageEntry:
    """A stage's name in `dvc.yaml`, and what it declares.

    `files`: files and folders, as patterns; `settings`: dotted keys of `params.yaml`.
    """

    name: str
    files: tuple[str, ...]
    settings: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Return whether a path from the project's folder is declared, or lies in what is.

        >>> StageEntry("train", ("data/a", "b*.csv")).covers("data/a/rows.csv")
        True
        """
        return lies_in(path, self.files)

    def declares(self, key: str) -> bool:
        """Return whether a setting, or a section that it is in, is declared.

        >>> StageEntry("train", (), ("models.forest",)).declares("models.forest.trees")
        True
        """
        return any(key == name or key.startswith(f"{name}.") for name in self.settings)


def lies_in(path: str, names: Iterable[str]) -> bool:
    """Return whether a path, or a folder above it, has one of the names, which may be patterns."""
    parts = path.split("/")
    places = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    return any(place == name or fnmatchcase(place, name) for name in names for place in places)


def stage_entry(root: Path, script: str, name: str | None = None) -> StageEntry:
    """Return the entry of the stage that runs a script, such as `src/train.py`.

    `name`: as DVC calls the stage, in case several run the script. Dependencies, outputs and
    files of settings count. CrivoError: no entry runs the script, or a file can't be read.
    """
    stages = _section(_section(read_yaml(root / PIPELINE)).get("stages"))
    entries = {key: _section(_section(one).get("do", one)) for key, one in stages.items()}
    running = [key for key, entry in entries.items() if script in str(entry.get("cmd"))]
    if not running:
        raise CrivoError(
            f"{PIPELINE} has no stage that runs {script}, so it isn't known what the script may "
            f"read; add one with `cmd: python {script}`."
        )
    # Of a stage with `foreach` or `matrix` DVC adds the item: `train@a`.
    called = (name or "").rpartition(":")[2].partition("@")[0]
    key = called if called in running else running[0]
    values = read_yaml(root / PARAMS) if (root / PARAMS).is_file() else {}
    entry = entries[key]
    params = [*_items(entry.get("params"))]
    files = [name for kind in PATHS for name, _ in _items(entry.get(kind))]
    files += [name for name, keys in params if keys is not None]
    settings = [name for name, keys in params if keys is None]
    settings += [str(key) for name, keys in params if name == PARAMS for key in keys or ()]
    filled = [posixpath.normpath(_filled(file, values)) for file in files]
    return StageEntry(
        key, (PIPELINE, *filled), tuple(_filled(setting, values) for setting in settings)
    )


def _section(content: Any) -> Mapping[str, Any]:
    return content if isinstance(content, Mapping) else {}


def _items(listed: Any) -> Iterator[tuple[str, Any]]:
    """Give each path or key that an entry lists, and what stands below it; None for a name alone.

    Of a file of settings without keys below it, DVC takes all of them.
    """
    for item in listed if isinstance(listed, list) else [listed] if listed else []:
        if not isinstance(item, Mapping):
            yield str(item), None
            continue
        for name, inside in item.items():
            yield str(name), inside if isinstance(inside, list) else ()


def _filled(text: str, values: Mapping[str, Any]) -> str:
    """Return a text with each `${a.b}` replaced by its setting; by `*` when there is none.

    >>> _filled("data/${a.b}/${item}", {"a": {"b": 1}})
    'data/1/*'
    """

    def value(found: re.Match[str]) -> str:
        place: Any = values
        for part in found[1].split("."):
            place = place.get(part, "*") if isinstance(place, Mapping) else "*"
        return str(place)

    return TEMPLATE.sub(value, text)


class Watch:
    """Watches what the script of one stage reads; `refused` has a sentence for each refusal."""

    def __init__(self, script: Path) -> None:
        self.script = script.resolve()
        self.root = self.script.parent.parent
        name = self.script.relative_to(self.root).as_posix()
        self.entry = stage_entry(self.root, name, os.environ.get("DVC_STAGE"))
        # A trial stands in `.dvc/tmp/exps` of the workspace.
        above = [place for place in self.root.parents if (place / PIPELINE).is_file()]
        self.roots = [self.root, *above]
        prefixes = [Path(place).absolute() for place in (sys.prefix, sys.base_prefix)]
        # An environment that the project itself stands in allows nothing of the project.
        self.environment = tuple(
            f"{place}{os.sep}" for place in prefixes if not self.root.is_relative_to(place)
        )
        self.allowed: set[Path] = set()
        self.refused: list[str] = []
        self.any_code = False  # while all settings are checked, also those of unused blocks

    def opened(self, name: str, flags: int = os.O_RDONLY) -> None:
        """Look at a file that is to be opened; CrivoError for an undeclared read."""
        if name.startswith(self.environment) and ".." not in name:  # nearly all: imports
            return
        path = _normal(Path(name))
        there = path.is_file()
        if flags & EMPTIES or (flags & os.O_CREAT and not there):
            self.allowed.add(path)  # what a stage makes itself comes from what it declares
        elif there and flags & ACCESS != os.O_WRONLY and path not in self.allowed:
            self._require_declared(path)

    def opened_in_folder(
        self, path: Any, flags: int, mode: int = 0, *, dir_fd: int | None = None
    ) -> None:
        """Look at a file that `os.open` opens relative to a folder; only Linux says which one."""
        if dir_fd is not None:
            with suppress(OSError):
                folder = Path(f"/proc/self/fd/{dir_fd}").readlink()
                self.opened(str(folder / os.fsdecode(path)), flags)

    def opened_natively(self, *arguments: Any, **options: Any) -> None:
        """Look at the files among the arguments of a reader in C++."""
        for path in _paths((*arguments, *options.values())):
            self.opened(path)

    def _require_declared(self, path: Path) -> None:
        """Refuse a file of the project that is declared by none of its names."""
        # As it is opened, without links in its folder, without any.
        names = (path, path.parent.resolve() / path.name, path.resolve())
        inside = [
            (name.relative_to(root).as_posix(), root)
            for name in names
            for root in self.roots
            if name.is_relative_to(root) and not str(name).startswith(self.environment)
        ]
        if inside and not any(self._is_declared(*place) for place in inside):
            self._refuse(os.path.relpath(names[1], self.root).replace(os.sep, "/"))

    def _is_declared(self, path: str, root: Path) -> bool:
        if root != self.root:
            return lies_in(path, ALLOWED)
        source = _source(path)
        if self.entry.covers(source):
            return True
        if _is_code(path):  # an empty file, as many `__init__.py` are, holds none
            return self.any_code or not (root / source).stat().st_size
        return lies_in(path, ALLOWED) or (path == PARAMS and self.any_code)

    def own_code(self, module: str) -> str | None:
        """Return the path of an imported module of the project; None of a library's."""
        file = getattr(sys.modules.get(module), "__file__", None)
        if not isinstance(file, str) or file.startswith(self.environment):  # nearly all
            return None
        path = _normal(Path(file))
        inside = path.is_relative_to(self.root / CODE)
        return path.relative_to(self.root).as_posix() if inside else None

    def _refuse(self, name: str) -> None:
        name, verb = (_source(name), "imports") if _is_code(name) else (name, "reads")
        said = (
            f"the stage {self.entry.name} {verb} {name}{self._caller()}, which its entry in "
            f"dvc.yaml doesn't declare; don't read it there, or add the line `- {name}` to its "
            "`deps` if the stage is allowed to read it."
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


def _is_code(path: str) -> bool:
    return path.startswith(f"{CODE}/") and path.endswith(CODE_SUFFIXES)


def _source(path: str) -> str:
    """Return the source file of byte code; other files as they are.

    >>> _source("src/blocks/__pycache__/own.cpython-311.pyc")
    'src/blocks/own.py'
    """
    folder, _, name = path.rpartition("/")
    if not name.endswith(".pyc") or not folder.endswith("/__pycache__"):
        return path
    return f"{folder.removesuffix('/__pycache__')}/{name.partition('.')[0]}.py"


# The one of the stage that runs, if there is one.
_watches: list[Watch] = []


@cache
def expect_watch() -> None:
    """Wrap what the hook doesn't see, for this watch or one that begins later."""
    os.open = _watched(os.open, Watch.opened_in_folder)
    for name, readers in NATIVE.items():
        module = import_module(name)
        for attribute in readers:
            reader = getattr(module, attribute, None)
            place, own = (reader, "__init__") if isinstance(reader, type) else (module, attribute)
            if reader is not None:
                setattr(place, own, _watched(getattr(place, own), Watch.opened_natively))


def _watched(reader: Callable[..., Any], look: Callable[..., None]) -> Callable[..., Any]:
    @wraps(reader)
    def read(*arguments: Any, **options: Any) -> Any:
        for watch in _watches:
            look(watch, *arguments, **options)
        return reader(*arguments, **options)

    return read


def _paths(values: Sequence[Any]) -> Iterator[str]:
    """Give the files among some values, those in lists and those in folders too."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _paths(value)
        elif isinstance(value, str | bytes | os.PathLike) and (name := os.fsdecode(value)):
            yield name
            yield from map(str, Path(name).rglob("*"))


def watch_reads(script: Path) -> None:
    """Refuse, from now on, undeclared reads by a stage script; nothing outside of a project."""
    if _watches or not (script.resolve().parents[1] / PIPELINE).is_file():
        return
    watch = Watch(script)
    expect_watch()
    _watches.append(watch)

    def hook(event: str, arguments: tuple[object, ...]) -> None:  # Python calls methods slowly here
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str | bytes) and isinstance(flags, int):
                watch.opened(os.fsdecode(path), flags)
        elif event == "sqlite3.connect" and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.fsdecode(arguments[0])  # perhaps a URI
            path = unquote(urlsplit(path).path) if path.startswith("file:") else path
            watch.opened(path, os.O_RDWR)

    sys.addaudithook(hook)


@contextmanager
def any_code() -> Iterator[None]:
    """Let undeclared code of the project be imported, and forget the modules afterwards.

    All blocks are imported to check their settings. What the stage uses of them it imports again.
    """
    before = {*sys.modules}
    for watch in _watches:
        watch.any_code = True
    try:
        yield
    finally:
        for watch in _watches:
            watch.any_code = False
            for name in {*sys.modules} - before:
                if watch.own_code(name) is not None and name.partition(".")[0] != "crivo":
                    del sys.modules[name]


def current_entry() -> StageEntry | None:
    """Return the entry of the stage that runs; None outside of a project's stage."""
    return next((watch.entry for watch in _watches), None)


def imported_code() -> set[str]:
    """Return the project's code that is imported, as paths from its folder."""
    found = {watch.own_code(name) for watch in _watches for name in {*sys.modules}}
    return {path for path in found if path is not None}


def allow_read(path: Path) -> None:
    """Let the stage read a file that isn't declared: one of DVC's cache, not to be handed on."""
    for watch in _watches:
        watch.allowed.add(_normal(path))


def require_declared_reads() -> None:
    """Raise the CrivoError of the first refused read again, in case a block has caught it."""
    for watch in _watches:
        if watch.refused:
            raise CrivoError(watch.refused[0])


def _normal(path: Path) -> Path:
    """Return a path from the root without `..`; other links stay, as they may be declared."""
    whole = path.absolute()
    # What `link/..` is, only the link says.
    return whole.parent.resolve() / whole.name if ".." in whole.parts else whole
