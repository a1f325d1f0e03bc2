"""Registry of blocks: finds a block by its name, in the folder of its kind.

`model: boosting` in `params.yaml` means `src/blocks/models/boosting.py`.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from crivo.core.blocks import KINDS
from crivo.core.codepath import put_project_first
from crivo.core.errors import CrivoError
from crivo.core.problems import Problem, Problems, did_you_mean, explain, shown

# Where a project keeps its blocks: its own code, below `src`, which is on the path.
BLOCKS = "src/blocks"


def block_names(kind: str) -> list[str]:
    """Return the names of all blocks of a kind: the files of its folder.

    >>> "prior" in block_names("model")
    True
    """
    folders = (Path(place, KINDS[kind][0]) for place in _package().__path__)
    names = {path.stem for folder in folders for path in folder.glob("*.py")}
    return sorted(name for name in names if not name.startswith("_"))


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

    CrivoError: there is no such file, or it doesn't define exactly one block of the kind.
    """
    folder, interface = KINDS[kind]
    names = block_names(kind)
    if name not in names:
        raise CrivoError(
            f"{name!r} isn't a {kind}{did_you_mean(name, names) or '.'} There are: "
            f"{', '.join(names)}; a new one is a file {BLOCKS}/{folder}/NAME.py."
        )
    module = importlib.import_module(f"blocks.{folder}.{name}")
    classes = [
        cls
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if issubclass(cls, interface) and cls.__module__ == module.__name__
    ]
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
    places = (Path(place, folder) for place in _package().__path__)
    names = sorted({path.stem for place in places for path in place.glob("[!_]*.py")})
    return {name: _imported(folder, name) for name in names}


def _imported(folder: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(f"blocks.{folder}.{name}")
    except CrivoError:
        raise
    except Exception as error:  # a file of the project's own may fail in any way
        raise CrivoError(
            f"{BLOCKS}/{folder}/{name}.py can't be imported ({type(error).__name__}: {error}); "
            "correct that file."
        ) from None


def make_block(kind: str, name: str, settings: Mapping[str, Any] | None) -> Any:
    """Return the block with its settings; Problems when a setting is wrong."""
    cls = find_block(kind, name)
    section = f"{KINDS[kind][0]}.{name}"
    if settings is None:
        settings = {}
    if not isinstance(settings, Mapping):
        raise Problems(
            [Problem(section, f"is {shown(settings)}; expected settings, or {{}} for none")]
        )
    try:
        return cls(**settings)
    except ValidationError as error:
        raise Problems(explain(error, section, lambda _: [f.name for f in fields(cls)])) from None
    except TypeError as error:  # a key that isn't a name
        raise Problems([Problem(section, str(error))]) from None
