"""What a stage works out from contents alone, handed on to those that are forked after it.

Stages of many trials are forked from one process, and each would work out the same. A fork tells
that process what it has used; later forks find it there. A key must say all that the value depends
on: contents, and not names of files. In other processes nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import TypeVar

# What JSON can hold.
Value = bool | str | list[str]
V = TypeVar("V", bound=Value)

# Characters that are remembered at most.
ROOM = 2**25

# None: this process isn't one of those. The value that was used last stands last.
_known: dict[str, Value] | None = None
_new: dict[str, Value] = {}
_found: dict[str, None] = {}
# How many characters the new ones have; libraries ask from several threads.
_taken = 0
_lock = Lock()


def remember() -> None:
    """Let the forks of this process find what `keep` is given."""
    global _known
    _known = {}


def keep(new: Mapping[str, Value], found: Iterable[str]) -> None:
    """Let later forks find new values besides those known; the least recently used go first."""
    if _known is None:
        return
    for key in found:
        if key in _known:
            _known[key] = _known.pop(key)
    _known.update(new)
    size = sum(map(_size, _known, _known.values()))
    while size > ROOM:
        oldest = next(iter(_known))
        size -= _size(oldest, _known.pop(oldest))


def used() -> tuple[dict[str, Value], list[str]]:
    """Return what this process has worked out, and the keys that it has found, for `keep`."""
    return dict(_new), [*_found]


def _size(key: str, value: Value) -> int:
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return len(key) + sum(map(len, texts))


def is_on() -> bool:
    """Return whether this process is forked from one that remembers."""
    return _known is not None


def once(key: str, work_out: Callable[[], V]) -> V:
    """Return the value of a key: as an earlier stage has worked it out, or worked out now.

    What is too much to be remembered is worked out each time.
    """
    global _taken
    if _known is None:
        return work_out()
    if found(key):
        return _known[key]  # type: ignore[return-value]
    if key in _new:
        return _new[key]  # type: ignore[return-value]
    value = work_out()
    size = _size(key, value)
    with _lock:
        if size <= ROOM - _taken and key not in _new:
            _new[key] = value
            _taken += size
    return value


def found(key: str) -> bool:
    """Return whether an earlier stage has worked out the value of a key, which is used then."""
    if _known is None or key not in _known:
        return False
    _found[key] = None
    return True
