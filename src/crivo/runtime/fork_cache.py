"""Values that a stage has worked out from contents alone, kept for the stages forked after it.

Stages of many trials are forked from one process (`forkserver.py`). A fork tells that process what
it has worked out; later forks find it there. A key must say all that the value depends on:
contents, and not names of files. In other processes nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock

# Characters that are kept at most.
ROOM = 2**25

# None: this process isn't one of those. What came last stands last.
_known: dict[str, str] | None = None
_new: dict[str, str] = {}
_lock = Lock()  # libraries ask from several threads


def keep_for_forks(new: Mapping[str, str] | None = None) -> None:
    """Let the forks of this process find values; the oldest go first where room ends."""
    global _known
    _known = {**(_known or {}), **(new or {})}
    size = sum(map(_size, _known.items()))
    while size > ROOM:
        oldest = next(iter(_known))
        size -= _size((oldest, _known.pop(oldest)))


def worked_out() -> dict[str, str]:
    """Return what this process has worked out, for `keep_for_forks`."""
    return dict(_new)


def is_on() -> bool:
    """Return whether this process is forked from one that keeps values."""
    return _known is not None


def memoize(key: str, work_out: Callable[[], str]) -> str:
    """Return the value of a key: as an earlier stage has worked it out, or worked out now.

    What is too much to be kept is worked out each time.
    """
    if _known is None:
        return work_out()
    if key in _known:
        return _known[key]
    if key not in _new:
        value = work_out()
        with _lock:
            if _size((key, value)) + sum(map(_size, _new.items())) > ROOM:
                return value
            _new[key] = value
    return _new[key]


def _size(item: tuple[str, str]) -> int:
    return len(item[0]) + len(item[1])
