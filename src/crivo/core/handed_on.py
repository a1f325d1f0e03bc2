"""What a stage works out from contents alone, handed on to those that are forked after it.

Stages of many trials are forked from one process, and each would work out the same. A fork tells
that process what it has used; later forks find it there. A key must say all that the value depends
on: contents, and not names of files. In other processes nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

# What JSON can hold.
Value = bool | str | list[str]
V = TypeVar("V", bound=Value)

# None: this process isn't one of those.
_known: dict[str, Value] | None = None
_used: dict[str, Value] = {}


def hold(values: Mapping[str, Value]) -> None:
    """Let the forks of this process find these values, and no others."""
    global _known
    _known = dict(values)


def used() -> dict[str, Value]:
    """Return what this process has worked out, or found, as `hold` takes it."""
    return dict(_used)


def is_on() -> bool:
    """Return whether this process is forked from one that remembers."""
    return _known is not None


def once(key: str, work_out: Callable[[], V]) -> V:
    """Return the value of a key: as an earlier stage has worked it out, or worked out now."""
    if _known is None:
        return work_out()
    value: V = _known[key] if key in _known else work_out()  # type: ignore[assignment]
    _used[key] = value
    return value


def found(key: str) -> bool:
    """Return whether an earlier stage has worked out the value of a key, which is used then."""
    if _known is None or key not in _known:
        return False
    _used[key] = _known[key]
    return True
