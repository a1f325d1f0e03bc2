"""Bins of scikit-learn's histogram boosting, found once for the features that many trials share.

Each fit sorts a sample of every column to find the edges of its bins, and then looks up the bin of
each value. Both depend on values alone, and take a quarter of a fit of fifty trees.
"""

from __future__ import annotations

import hashlib
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from crivo.runtime import fork_cache

# The module, its function from values and a number of bins to the edges of these, and the one that
# writes the bin of each value into an array.
BINNING = "sklearn.ensemble._hist_gradient_boosting.binning"
FIND, MAP = "_find_binning_thresholds", "_map_to_bins"
# More bytes of binned values aren't handed on: as text, those of two tables fit into the room.
MOST_BINNED = fork_cache.ROOM // 3

Find = Callable[..., np.ndarray]
Map = Callable[..., None]


@contextmanager
def shared_bins() -> Iterator[None]:
    """Let fits take the bins that an earlier trial found for the very same values.

    Only in forks of a process that keeps values (`runtime/fork_cache.py`); elsewhere, and where
    scikit-learn has no such function, nothing changes.
    """
    module = sys.modules.get(BINNING)
    plain: dict[str, Any] = {name: getattr(module, name, None) for name in (FIND, MAP)}
    if None in plain.values() or not fork_cache.is_on():
        yield
        return
    wrapped = {FIND: partial(_find_once, plain[FIND]), MAP: partial(_map_once, plain[MAP])}
    try:
        vars(module).update(wrapped)
        yield
    finally:
        vars(module).update(plain)


def _find_once(find: Find, *given: Any, **named: Any) -> np.ndarray:
    if not _is_plain(*given) or any(value is not None for value in named.values()):
        return find(*given, **named)
    values, count = given
    edges = fork_cache.memoize(
        f"bins {count} {_content(values)}", lambda: _as_text(find(*given, **named).astype(float))
    )
    return np.frombuffer(b64decode(edges), dtype=float).copy()  # one that can be written to


def _map_once(map_to_bins: Map, *given: Any, **named: Any) -> None:
    if named or not _can_share_bins(*given):
        map_to_bins(*given, **named)
        return
    values, edges, categorical, missing, _, binned = given

    def worked_out() -> str:
        map_to_bins(*given)
        return _as_text(binned.T)

    parts = (values, *edges, categorical)
    content = " ".join(f"{part.dtype} {part.shape} {_content(part)}" for part in parts)
    key = f"binned {missing} {hashlib.sha256(content.encode()).hexdigest()}"
    bins = b64decode(fork_cache.memoize(key, worked_out))
    binned.T[...] = np.frombuffer(bins, dtype=binned.dtype).reshape(binned.T.shape)


def _is_plain(*given: Any) -> bool:
    """Return whether a function is asked for the bins of values and of nothing else."""
    if len(given) != 2:
        return False
    values, count = given
    return isinstance(values, np.ndarray) and values.dtype == float and isinstance(count, int)


def _can_share_bins(*given: Any) -> bool:
    """Return whether a function is asked for the bins of values, and not of too many."""
    if len(given) != 6:
        return False
    values, edges, categorical, missing, _, binned = given
    return (
        isinstance(edges, list)
        and all(isinstance(part, np.ndarray) for part in (values, *edges, categorical, binned))
        and isinstance(missing, int)
        and binned.dtype == np.uint8
        and binned.shape == values.shape
        and binned.nbytes <= MOST_BINNED
    )


def _content(values: np.ndarray) -> str:
    return hashlib.sha256(_bytes(values)).hexdigest()


def _as_text(values: np.ndarray) -> str:
    return b64encode(_bytes(values)).decode()


def _bytes(values: np.ndarray) -> memoryview:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
