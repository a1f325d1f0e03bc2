"""Reads settings that were recorded under names that have changed since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Settings by their former dotted keys. A key keeps its section.
SETTINGS = {"train.watch": "train.early_stopping_fraction"}


def with_current_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return recorded settings under the names that they have now.

    >>> with_current_settings({"seed": 1, "train": {"watch": 0.2}})
    {'seed': 1, 'train': {'early_stopping_fraction': 0.2}}
    """
    renamed = dict(values)
    for former, current in SETTINGS.items():
        section, _, key = former.partition(".")
        own = renamed.get(section)
        if isinstance(own, Mapping) and key in own:
            name = current.rpartition(".")[2]
            renamed[section] = {name if one == key else one: own[one] for one in own}
    return renamed
