"""Reads what was recorded under names that have changed since.

Blocks were part of the library, as `crivo.models.NAME`; some settings had other names.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from typing import Any

from crivo.core.archives import Archive

# A class's or function's module, as skops writes it in its JSON.
FORMER = re.compile(rb'"crivo\.(models|featurizers)\.')

# Settings by their former dotted keys. A key keeps its section.
SETTINGS = {"train.watch": "train.early_stopping_fraction"}


def with_current_names(data: bytes) -> bytes:
    """Return a skops file in which blocks have the names that they have now.

    Errors are those of `Archive`: the file is broken, or unpacks to too much.
    """
    with Archive(data) as archive:
        schema = archive.text("schema.json")
        if not FORMER.search(schema):
            return data
        members = {name: archive.read(name) for name in archive.names}
    members["schema.json"] = FORMER.sub(rb'"blocks.\1.', schema)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return target.getvalue()


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
