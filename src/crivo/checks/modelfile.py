"""Which modules the objects in a stored model come from, read without loading it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def classes_in(path: Path) -> frozenset[str]:
    """Return the modules that a skops file's objects are defined in; none for other files."""
    if path.suffix != ".skops" or not path.is_file():
        return frozenset()
    try:
        with zipfile.ZipFile(path) as archive:
            schema = json.loads(archive.read("schema.json"))
    except (zipfile.BadZipFile, KeyError, ValueError, RecursionError):
        return frozenset()  # whoever loads it will say so
    return frozenset(_modules(schema))


def _modules(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(module := node.get("__module__"), str):
            yield module
        for value in node.values():
            yield from _modules(value)
    elif isinstance(node, list):
        for value in node:
            yield from _modules(value)
