"""Reads what was recorded when blocks were part of the library, as `crivo.models.NAME`."""

from __future__ import annotations

import io
import re
import zipfile

from crivo.core.archives import Archive

# A class's or function's module, as skops writes it in its JSON.
FORMER = re.compile(rb'"crivo\.(models|featurizers)\.')


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
