"""crivo: machine-learning experiments whose results can be believed.

The names that `__init__.pyi` lists are the public face. Blocks, stages, tests and notebooks of a
project import nothing else of the library but `crivo.testing`. A name is imported when it is first
used.
"""

from __future__ import annotations

from importlib import import_module

with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as stub:  # noqa: PTH123 (pathlib is slow)
    # from <module> import <name> as <name>
    _PLACES = {line.split()[3]: line.split()[1] for line in stub if line.startswith("from ")}
__all__ = [*_PLACES]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'crivo' has no attribute {name!r}")
    place = import_module(_PLACES[name])
    # Functions for datasets and splitters are modules themselves.
    value = getattr(place, name, None) or import_module(f"{place.__name__}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
