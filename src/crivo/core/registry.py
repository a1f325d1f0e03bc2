"""Registry of blocks: finds a block by its name, in the folder of its kind.

`model: boosting` in `params.yaml` means `src/blocks/models/boosting.py`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from crivo.core.blocks import KINDS
from crivo.core.codepath import put_project_first
from crivo.core.errors import CrivoError
from crivo.core.problems import Problems, checked, did_you_mean

# Where a project keeps its blocks: its own code, below `src`, which is on the path.
BLOCKS = "src/blocks"


def block_names(kind: str) -> list[str]:
    """Return the names of all blocks of a kind: the files of its folder.

    >>> "prior" in block_names("model")
    True
    """
    return _names_in(KINDS[kind][0])


def _names_in(folder: str) -> list[str]:
    places = (Path(place, folder) for place in _package().__path__)
    return sorted({path.stem for place in places for path in place.glob("[!_]*.py")})


def _package() -> ModuleType:
    """Return the package of the project's blocks, wherever the path leads to it.

    In a notebook, which has no `src` on its path, the project that it is in counts.
    """
    if importlib.util.find_spec("blocks") is None:
        put_project_first()
    if importlib.util.find_spec("blocks") is None:
        raise CrivoError(
            f"There is no {BLOCKS} here, where a project keeps its blocks; run this in the "
            "project's folder."
        )
    return importlib.import_module("blocks")


def find_block(kind: str, name: str) -> type[Any]:
    """Return the class that the block's file defines.

    Problems: there is no such file. CrivoError: it doesn't define exactly one block of the kind.
    """
    folder, interface = KINDS[kind]
    if name not in (names := block_names(kind)):
        hint = f"{did_you_mean(name, names)} (there are: {', '.join(names)})"
        raise Problems({f"{folder}.{name}": f"there is no {kind} {name!r}{hint}"})
    module = importlib.import_module(f"blocks.{folder}.{name}")
    own = [
        cls for cls in vars(module).values() if getattr(cls, "__module__", "") == module.__name__
    ]
    classes = [cls for cls in own if isinstance(cls, type) and issubclass(cls, interface)]
    if len(classes) != 1:
        raise CrivoError(
            f"{BLOCKS}/{folder}/{name}.py defines {len(classes)} classes derived from "
            f"{interface.__name__}; a block file defines exactly one."
        )
    return classes[0]


def own_modules(folder: str) -> dict[str, ModuleType]:
    """Return the modules of a folder of functions by name, such as those of `src/blocks/metrics`.

    There are none outside of a project. CrivoError: a file can't be imported.
    """
    if importlib.util.find_spec("blocks") is None:
        return {}
    modules = {}
    for name in _names_in(folder):
        try:
            modules[name] = importlib.import_module(f"blocks.{folder}.{name}")
        except Exception as error:  # a file of the project's own may fail in any way
            raise CrivoError(
                f"{BLOCKS}/{folder}/{name}.py can't be imported ({type(error).__name__}: {error}); "
                "correct that file."
            ) from None
    return modules


def make_block(kind: str, name: str, settings: Mapping[str, Any] | None) -> Any:
    """Return the block with its settings; Problems when a setting is wrong."""
    section = f"{KINDS[kind][0]}.{name}"
    return checked(find_block(kind, name), {} if settings is None else settings, section)
