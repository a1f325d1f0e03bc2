"""Makes pages of docs from the code, each below its words in `heads`."""

from __future__ import annotations

from importlib.resources import files


def head(page: str) -> str:
    """Return what stands above the part of a page that is made from the code."""
    return files("crivo.reference").joinpath("heads", f"{page}.md").read_text(encoding="utf-8")
