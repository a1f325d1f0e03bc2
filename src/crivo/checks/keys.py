"""Keys of `params.yaml`, as tuples of names: `("evaluate", "split")`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crivo.core.blocks import KINDS

Key = tuple[str, ...]

FOLDERS = frozenset(folder for folder, _ in KINDS.values())


def dotted(key: Key) -> str:
    """Return a key as `dvc.yaml` and `-S` write it."""
    return ".".join(key)


def below(key: str, section: str) -> bool:
    """Return whether a dotted key is a section or lies in it.

    >>> below("models.forest", "models"), below("model", "models")
    (True, False)
    """
    return key == section or key.startswith(f"{section}.")


def is_block_section(key: Key) -> bool:
    """Return whether a key lies in the section of a block, in use or not."""
    return len(key) > 1 and key[0] in FOLDERS


def leaves(settings: Any, key: Key = ()) -> Iterator[Key]:
    """Yield the key of each value; an empty section counts as one."""
    if isinstance(settings, Mapping) and settings:
        for name, value in settings.items():
            yield from leaves(value, (*key, str(name)))
    else:
        yield key


def value_at(settings: Any, key: Key) -> Any:
    """Return the value or section of a key, or None when there is none."""
    for name in key:
        if not isinstance(settings, Mapping) or name not in settings:
            return None
        settings = settings[name]
    return settings


def expand(keys: Iterable[Key], settings: Mapping[str, Any]) -> set[Key]:
    """Return the keys of all values below these keys, and a key itself that has none."""
    return {leaf for key in keys for leaf in leaves(value_at(settings, key), key)}


def merged(settings: Any, keys: set[Key], section: Key = ()) -> Iterator[Key]:
    """Yield these keys, and a section that they make up completely as one.

    >>> list(merged({"a": {"b": 1, "c": 2}, "d": {"e": 1, "f": 2}},
    ...             {("a", "b"), ("a", "c"), ("d", "f")}))
    [('a',), ('d', 'f')]
    """
    if section and set(leaves(settings, section)) <= keys:
        yield section
    elif isinstance(settings, Mapping):
        for name, value in settings.items():
            yield from merged(value, keys, (*section, str(name)))
