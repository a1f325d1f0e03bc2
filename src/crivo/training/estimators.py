"""The settings of an estimator that is found by its dotted name."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crivo.core.errors import CrivoError

# The names of classes; those of settings are shorter (C) or begin with a small letter.
CLASS_NAME = re.compile(r"[A-Z]\w+")
# From this similarity on the name of a class looks like a misspelling of another.
NEAR = 0.8


def settings_of(
    settings: Mapping[str, Any], estimator: str, packages: Sequence[str]
) -> dict[str, Any]:
    """Return the settings for one estimator: the plain ones, and those below its class's name.

    CrivoError: there are none below its name, but below one that looks like a misspelling of it.

    >>> settings = {"verbose": 1, "SVC": {"C": 10.0}, "Ridge": {"alpha": 2.0}}
    >>> settings_of(settings, "sklearn.svm.SVC", ["sklearn"])
    {'verbose': 1, 'C': 10.0}
    """
    sections = {key: value for key, value in settings.items() if _is_section(key, value)}
    plain = {key: value for key, value in settings.items() if key not in sections}
    name = estimator.rpartition(".")[2]
    if name not in sections:
        for near in difflib.get_close_matches(name, sections, cutoff=NEAR):
            if not _is_class(near, packages):
                raise CrivoError(
                    f"models.sklearn.settings.{near}: the estimator is {name}; did you mean "
                    f"`{name}`?"
                )
    return plain | dict(sections.get(name) or {})


def unseeded(values: Any, path: str = "") -> Iterator[str]:
    """Yield the name of each `random_state` that is null, in lists and mappings too."""
    if isinstance(values, Mapping):
        for key, value in values.items():
            name = f"{path}.{key}" if path else str(key)
            if value is None and str(key).rpartition("__")[2] == "random_state":
                yield name
            yield from unseeded(value, name)
    elif isinstance(values, list | tuple):
        for number, value in enumerate(values):
            yield from unseeded(value, f"{path}.{number}")


def _is_section(key: str, value: Any) -> bool:
    return bool(CLASS_NAME.fullmatch(key)) and (value is None or isinstance(value, Mapping))


def _is_class(name: str, packages: Sequence[str]) -> bool:
    """Whether a module of the packages that is loaded has a class of this name."""
    loaded = [module for key, module in sys.modules.items() if key.startswith(tuple(packages))]
    return any(isinstance(vars(module).get(name), type) for module in loaded)
