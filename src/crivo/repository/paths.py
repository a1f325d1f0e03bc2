"""Paths of a project, as git and DVC name them."""

from __future__ import annotations


def covers(folder: str, path: str) -> bool:
    """Return whether a path is a folder (or file) or lies in it.

    >>> covers("src/crivo/core", "src/crivo/core/schema.py"), covers("src/crivo", "src/crivo2")
    (True, False)
    """
    return path == folder or path.startswith(f"{folder}/") or folder == "."
