"""Which project files a file imports, at any depth, found without running anything.

The stage scripts and the modules beside them aren't a package, and the project that is checked
need not be the one that is installed; so files are followed, not what Python can import.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath

from crivo.checks.dynamic_imports import import_calls, target
from crivo.repository.unreadable import Unreadable

SRC = "src"
# It imports blocks by the names in params.yaml; who asks for a closure adds those blocks.
BLOCK_FINDER = "src/crivo/core/registry.py"
# A string that may name a file or a folder: `report.html.j2`, `templates`.
FILE_NAME = re.compile(r"[\w-][\w./-]{2,99}")


class Sources:
    """The Python files below `src`; a path is relative to the project, with slashes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # Cached by instance: a file is read once, however many stages import it.
        self._parsed = cache(self._parse)
        self.files_named = cache(self._files_named)
        self.imports = cache(self._imports)
        self.module = cache(self._module)

    def closure(self, paths: Iterable[str]) -> frozenset[str]:
        """Return these files and all project files they import, at any depth."""
        reached_files: set[str] = set()
        open_ends = [path for path in paths if (self.root / path).is_file()]
        while open_ends:
            path = open_ends.pop()
            if path not in reached_files:
                reached_files.add(path)
                open_ends += self.imports(path)
        return frozenset(reached_files)

    def is_empty(self, path: str) -> bool:
        """Return whether a module holds nothing but a docstring, as many `__init__.py` do."""
        return all(
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            for node in self.tree(path).body
        )

    def strings(self, path: str) -> frozenset[str]:
        """Return the strings that are written in a module."""
        constants = (node.value for node in self.nodes(path) if isinstance(node, ast.Constant))
        return frozenset(value for value in constants if isinstance(value, str))

    def _files_named(self, path: str) -> frozenset[str]:
        """Return the files beside a module, not Python, that a string in it names.

        A string that names a folder stands for the files in it: templates of a page, say.
        """
        folder = (self.root / path).parent
        files: set[Path] = set()
        for text in self.strings(path):
            if FILE_NAME.fullmatch(text):
                place = folder / text
                files |= set(place.iterdir()) if place.is_dir() else {place}
        return frozenset(
            file.relative_to(self.root).as_posix()
            for file in files
            if file.suffix not in (".py", ".pyc") and file.is_file() and ".." not in file.parts
        )

    def unclear_imports(self, path: str) -> Iterator[int]:
        """Yield the lines where a module imports by a name that isn't written in it."""
        for call in import_calls(self.nodes(path)):
            if target(call, self.name(path)) is None:
                yield call.lineno

    def tree(self, path: str) -> ast.Module:
        """Return a module's syntax tree."""
        return self._parsed(path)[0]

    def nodes(self, path: str) -> tuple[ast.AST, ...]:
        """Return the nodes of a module, less those that only type checkers read."""
        return self._parsed(path)[1]

    def _parse(self, path: str) -> tuple[ast.Module, tuple[ast.AST, ...]]:
        try:
            return _parse_code((self.root / path).read_bytes(), path)
        except (SyntaxError, ValueError, OSError) as error:
            raise Unreadable(path, f"it can't be read as Python: {error}.") from None

    def _imports(self, path: str) -> frozenset[str]:
        files = (self.files(name) for name in self._names(path))
        return frozenset().union(*files) - {path}

    def _names(self, path: str) -> Iterator[tuple[str, ...]]:
        """Yield what a file imports, as tuples of names; a star is every module of a package."""
        package = PurePosixPath(path).parent.relative_to(SRC).parts
        for node in self.nodes(path):
            if isinstance(node, ast.Import):
                yield from (tuple(alias.name.split(".")) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = package[: len(package) + 1 - node.level] if node.level else ()
                base += tuple(node.module.split(".")) if node.module else ()
                # What is imported from a package may be a module of it.
                yield from ((*base, alias.name) for alias in node.names)
        for call in import_calls(self.nodes(path)) if path != BLOCK_FINDER else ():
            if name := target(call, self.name(path)):
                yield tuple(name.split("."))

    def files(self, name: tuple[str, ...]) -> set[str]:
        """Return the files that importing a name runs: its packages' and its own."""
        steps = {self.module(name[:end]) for end in range(1, len(name) + 1)}
        if name[-1:] == ("*",):
            folder = self.root.joinpath(SRC, *name[:-1])
            steps |= {path.relative_to(self.root).as_posix() for path in folder.glob("*.py")}
        return {path for path in steps if path}

    @staticmethod
    def name(path: str) -> str:
        """Return the dotted name by which a file is imported."""
        parts = PurePosixPath(path).relative_to(SRC).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def _module(self, name: tuple[str, ...]) -> str | None:
        stem = "/".join((SRC, *name))
        for path in (f"{stem}/__init__.py", f"{stem}.py"):
            if (self.root / path).is_file():
                return path
        return None


@lru_cache(maxsize=1000)
def _parse_code(code: bytes, path: str) -> tuple[ast.Module, tuple[ast.AST, ...]]:
    """Return the tree and the nodes of code, which several projects may hold alike."""
    tree = ast.parse(code, filename=path)
    return tree, tuple(running_code(tree))


def running_code(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module, less those that only type checkers read, and its operators."""
    waiting = _inside(tree)
    while waiting:  # a generator within another one for each level would take three times as long
        node = waiting.pop()
        if isinstance(node, ast.If) and _is_type_checking(node.test):
            waiting += node.orelse[::-1]
        else:
            yield node
            waiting += _inside(node)


def _inside(node: ast.AST) -> list[ast.AST]:
    """Return what a node consists of that has parts itself, the last first."""
    parts: list[ast.AST] = []
    for value in vars(node).values():  # half of what `ast.iter_child_nodes` takes
        if isinstance(value, list):
            parts += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST) and value._fields:  # `Load`, `Add` and the like have none
            parts.append(value)
    return parts[::-1]


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"


def imported_at_once(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the libraries that importing a module imports, each with its line."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0], node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0], node.lineno
