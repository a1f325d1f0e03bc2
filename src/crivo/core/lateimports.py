"""Lets libraries import what few of their functions need when it is needed first.

scikit-learn imports all of `scipy.stats` at once, a quarter of its own import, for the functions
listed here. While such a module is being imported, it finds stand-ins, which import what they
stand for when they are first used. Everybody else, and everything later, finds the real modules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec

# A module, what it may import later, and the functions and classes that it takes out of that.
LATER: dict[str, dict[str, tuple[str, ...]]] = {
    "dvc.utils.studio": {"requests": (), "requests.adapters": ("HTTPAdapter",)},
    "dvc_studio_client.post_live_metrics": {
        "requests": (),
        "requests.exceptions": ("RequestException",),
    },
    "scipy._lib.array_api_compat.numpy": {"numpy.f2py": ()},
    "sklearn._loss.link": {"scipy.stats": ("gmean",)},
    "sklearn.callback": {"sklearn.callback._progressbar": ("ProgressBar",)},  # it imports rich
    "sklearn.covariance._robust_covariance": {"scipy.stats": ("chi2",)},
    "sklearn.externals.array_api_compat.numpy": {"numpy.f2py": ()},
    "sklearn.feature_selection._univariate_selection": {"scipy.stats": ()},
    "sklearn.impute._iterative": {"scipy.stats": ()},
    "sklearn.isotonic": {"scipy.stats": ("spearmanr",)},
    "sklearn.metrics._ranking": {"scipy.stats": ("rankdata",)},
    "sklearn.model_selection._search": {"scipy.stats": ("rankdata",)},
    "sklearn.preprocessing._data": {"scipy.stats": ()},
    "sklearn.utils.fixes": {"scipy.stats": ()},
}


def import_late() -> None:
    """Let the modules of `LATER` import late, from now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Module(ModuleType):
    """Stands for a module that isn't imported yet."""

    def __init__(self, name: str, taken: Sequence[str]) -> None:
        super().__init__(name)
        self.__dict__["_taken"] = {one: _Named(name, one) for one in taken}

    def __getattr__(self, name: str) -> Any:
        taken = self.__dict__["_taken"]
        # Importlib asks for the path to see whether this is a package.
        if name == "__path__":
            raise AttributeError(name)
        return taken[name] if name in taken else getattr(_real(self.__name__), name)


class _Named:
    """Stands for a function or a class of a module that isn't imported yet."""

    def __init__(self, module: str, name: str) -> None:
        self._place = module, name

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return _real(*self._place)(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(_real(*self._place), name)


def _real(module: str, name: str = "") -> Any:
    """Import a module of a library, even while a stand-in has its place, or what it has."""
    from pkgutil import resolve_name

    if isinstance(sys.modules.get(module), _Module):
        del sys.modules[module]
    return resolve_name(f"{module}:{name}")


@contextmanager
def _standing_in(modules: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """Put stand-ins in the places of modules that aren't imported, and take them away again."""
    absent = [name for name in modules if name not in sys.modules]
    for name in absent:
        sys.modules[name] = _Module(name, modules[name])
        _bind(name, sys.modules[name])
    try:
        yield
    finally:
        for name in absent:
            if isinstance(stand_in := sys.modules.get(name), _Module):
                del sys.modules[name]
                _unbind(name, stand_in)


def _bind(name: str, module: ModuleType) -> None:
    """Make a module an attribute of its package, as importing it does."""
    package, _, own = name.rpartition(".")
    if package in sys.modules:
        setattr(sys.modules[package], own, module)


def _unbind(name: str, module: ModuleType) -> None:
    package, _, own = name.rpartition(".")
    names = vars(sys.modules[package]) if package in sys.modules else {}
    if names.get(own) is module:
        del names[own]


class _Finder:
    """Finds modules as the others do, and puts stand-ins beside those of `LATER`."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of `LATER`; None leaves others to the next finder."""
        if name not in LATER:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                _wrap_loader(spec.loader, LATER[name])
                return spec
        return None


def _wrap_loader(loader: Loader, modules: Mapping[str, Sequence[str]]) -> None:
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        with _standing_in(modules):
            execute(module)

    loader.exec_module = exec_module  # type: ignore[method-assign]
