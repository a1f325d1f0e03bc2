"""A made-up target for each task: one file each, and the folder is the registry."""

from __future__ import annotations

import importlib
import pkgutil

from crivo.testing.tasks._base import KNOWN, Example

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

# The made-up target of each task, by the task's name.
EXAMPLES: dict[str, type[Example]] = dict(sorted(KNOWN.items()))

__all__ = ["EXAMPLES", "Example"]
