"""Delays slow imports inside libraries until they are needed: commands and stages start faster.

scikit-learn imports all of `scipy.stats` and `scipy.optimize`, a third of what it takes to import,
for few functions. A module of `LATE` is empty until something of it is used. A library that only
takes names out of it, while it is being imported itself, gets stand-ins, which import the module
when they are used.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any

# A module, and the library that takes names out of it and may wait for what they stand for.
LATE = {
    "dvc.utils.studio": "dvclive",  # imports requests
    "dvc_studio_client.post_live_metrics": "dvclive",  # the same
    "dvclive.monitor_system": "dvclive",  # looks for graphics cards
    "dvclive.report": "dvclive",
    "numpy.f2py": "numpy",  # scikit-learn and SciPy take all names of numpy, this one too
    "numpy.testing": "numpy",  # the same
    "scipy.integrate": "sklearn",
    "scipy.interpolate": "sklearn",
    "scipy.optimize": "sklearn",
    "scipy.spatial.transform": "scipy",
    "scipy.stats": "sklearn",
    "sklearn.callback._progressbar": "sklearn",  # imports rich
    "sklearn.utils.optimize": "sklearn",  # imports scipy.optimize
}
IMPORTLIB = "importlib._bootstrap"

_lock = threading.RLock()


def import_late() -> None:
    """Let the modules of `LATE` import late, from now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Finds modules as the others do; those of `LATE` come without content."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of `LATE`; None leaves others to the next finder."""
        package = sys.modules.get(name.rpartition(".")[0])
        if isinstance(package, _LateModule):
            _load(package)  # its modules count on what it imports
        if name not in LATE:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
                return spec
        return None


class _Loader:
    """Makes the module, and leaves it empty."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module that imports its content when something of it is used."""
        return _LateModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing yet."""


class _LateModule(ModuleType):
    """A module whose content isn't imported yet."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        if _takes_names(sys._getframe(1), LATE[self.__name__], self.__name__):
            return _Name(self, name)
        _load(self)
        # What is being imported has no such name yet.
        if type(self) is not ModuleType:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self, name)


class _Name:
    """Stands for a function or a class of a module whose content isn't imported yet."""

    def __init__(self, module: ModuleType, name: str) -> None:
        self._of = module, name

    def _real(self) -> Any:
        module, name = vars(self)["_of"]
        _load(module)
        return getattr(module, name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._real()(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real(), name)


def _takes_names(frame: FrameType | None, library: str, module: str) -> bool:
    """Say whether another module of a library asks, outside of functions: while it is imported."""
    while frame is not None and frame.f_globals.get("__name__") == IMPORTLIB:
        frame = frame.f_back
    if frame is None or frame.f_code.co_name != "<module>":
        return False
    name = str(frame.f_globals.get("__name__"))
    return name.partition(".")[0] == library and not f"{name}.".startswith(f"{module}.")


def _load(module: Any) -> None:
    """Import the content of a module, unless this thread is doing so."""
    with _lock:
        late = module.__spec__.loader
        if not isinstance(late, _Loader):
            return
        module.__spec__.loader = module.__loader__ = late.loader
        try:
            late.loader.exec_module(module)
        except BaseException:
            module.__spec__.loader = module.__loader__ = late
            raise
        module.__class__ = ModuleType
