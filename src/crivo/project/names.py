"""Which names a new block can have."""

from __future__ import annotations

import ast
import keyword
import re

from crivo.core.errors import CrivoError
from crivo.core.parsing import parse_yaml

# Longer ones don't fit on a line of 100 with their import.
MAX_LENGTH = 30
# What programs that read YAML 1.1 take for true, false or nothing.
WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


def check_name(kind: str, name: str) -> None:
    """Raise CrivoError unless the name can be that of a file, a module and a parameter."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise CrivoError(
            f"{name!r} can't name a {kind}: it becomes a Python file and a value in params.yaml. "
            f"Take lower-case letters, digits and underscores, a letter first{_instead(name)}."
        )
    if keyword.iskeyword(name):
        raise CrivoError(f"{name!r} is a word of Python's own and can't be imported; take another.")
    if name in WORDS or parse_yaml(name) != name:
        raise CrivoError(f"{name!r} means something else in params.yaml; take another name.")
    if len(name) > MAX_LENGTH:
        raise CrivoError(
            f"{name!r} has {len(name)} characters; take a name of {MAX_LENGTH} at most."
        )


def class_name(name: str) -> str:
    """Return the class's name for a block's.

    >>> class_name("by_time")
    'ByTime'
    """
    return "".join(part.capitalize() for part in name.split("_"))


def check_class(name: str, source: str) -> None:
    """Raise CrivoError when a block file's class would hide what the file imports or defines."""
    tree = ast.parse(source)
    taken = [
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    if class_name(name) in taken:
        raise CrivoError(
            f"{name!r} would name the class {class_name(name)}, which the file imports under "
            "that name; take another name."
        )


def _instead(name: str) -> str:
    """Return a name that would do, as a half-sentence, or nothing."""
    near = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()).strip("_")
    near = near.lstrip("0123456789_")
    return f", such as {near}" if near and not keyword.iskeyword(near) else ""
