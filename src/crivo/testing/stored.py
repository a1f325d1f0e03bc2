"""What a stored estimator holds, attribute by attribute: to name what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np
import pandas as pd

from crivo.testing.contract import promise

PLAIN = (str, bytes, int, float, type(None), np.generic, type, np.dtype, FunctionType)


def first_difference(one: Any, other: Any) -> str | None:
    """Return the first attribute that tells two estimators apart, and how; None when none does.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> first_difference(DecisionTreeClassifier(max_depth=2), DecisionTreeClassifier(max_depth=3))
    'max_depth was 2 and became 3'
    """
    before, after = dict(_leaves(one)), dict(_leaves(other))
    for path in dict.fromkeys([*before, *after]):
        if path not in after:
            return f"{path} is gone"
        if path not in before:
            return f"{path} came"
        if not _same(before[path], after[path]):
            return f"{path} was {_short(before[path])} and became {_short(after[path])}"
    return None


def promise_equal_files(one: Any, other: Any, files: tuple[bytes, bytes], finding: str) -> None:
    """Raise BrokenPromise unless two estimators' files are equal, and name what differs."""
    if files[0] == files[1]:
        return
    where = first_difference(one, other)
    promise(False, f"{finding}{f': {where}' if where else ''}.")


def unseeded(estimator: Any) -> str:
    """Return a hint at the parameters named random_state that are null, or nothing."""
    params = estimator.get_params() if hasattr(estimator, "get_params") else {}
    names = [
        name
        for name, value in params.items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return f" ({', '.join(names)} is None)" if names else ""


def _leaves(thing: Any, path: str = "", seen: frozenset[int] = frozenset()) -> Iterator[Any]:
    """Yield each plain value that a thing holds, with the path that leads to it."""
    parts = None if isinstance(thing, PLAIN) or id(thing) in seen else _parts(thing)
    if parts is None:
        yield path or "it", thing
        return
    for name, part in parts.items():
        yield from _leaves(part, f"{path}.{name}".removeprefix("."), seen | {id(thing)})


def _parts(thing: Any) -> Mapping[str, Any] | None:
    """Return what a thing is made of by name; None for what is compared as a whole."""
    if isinstance(thing, np.ndarray) and thing.dtype == object:
        return dict(enumerate(thing.ravel().tolist()))  # type: ignore[arg-type]
    if isinstance(thing, np.ndarray | pd.DataFrame | pd.Series | pd.Index | set | frozenset):
        return None
    if isinstance(thing, Mapping):
        return {str(key): value for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return dict(enumerate(thing))  # type: ignore[arg-type]
    named = getattr(thing, "named_steps", None)
    if named is not None:  # a pipeline
        return dict(named)
    if hasattr(thing, "__dict__"):
        return vars(thing)
    state = thing.__getstate__()  # of compiled code
    return _parts(state) if isinstance(state, dict | tuple | list) else None


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        same = one.shape == other.shape and one.dtype == other.dtype
        return same and one.tobytes() == other.tobytes()
    if isinstance(one, pd.DataFrame | pd.Series | pd.Index):
        return bool(one.equals(other))
    if isinstance(one, float) and one != one:
        return other != other
    return bool(one == other) or isinstance(one, FunctionType)


def _short(value: Any, size: int = 60) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= size else f"{text[: size - 1]}…"
