"""What a stored model's objects are and hold, read without loading it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from crivo.core.archives import UNREADABLE, Archive

MAX_LENGTH = 200


def classes_in(path: Path) -> frozenset[str]:
    """Return the modules that a skops file's objects are defined in; none for other files."""
    if path.suffix != ".skops" or not path.is_file():
        return frozenset()
    try:
        schema = json.loads(_description(path))
    except UNREADABLE:
        return frozenset()  # whoever loads it will say so
    return frozenset(_modules(schema))


def may_have_coefficients(path: Path) -> bool:
    """Return whether an object in a skops file has an attribute whose name ends in `coef_`.

    Loading the file would say so too, after the import of scikit-learn.
    """
    try:
        return b'coef_"' in _description(path)
    except UNREADABLE:
        return True  # whoever loads it will say so


def _description(path: Path) -> bytes:
    with Archive(path) as archive:
        return archive.text("schema.json")


def _modules(schema: Any) -> Iterator[str]:
    left = [schema]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if _is_name(module := node.get("__module__")):
                yield module
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)


def _is_name(module: Any) -> TypeGuard[str]:
    """Whether a module can have this dotted name, and a file its parts."""
    if not isinstance(module, str) or len(module) > MAX_LENGTH:
        return False
    return all(part.isidentifier() for part in module.split("."))
