"""The documentation's pages: Markdown, from crivo's repository or from the wheel."""

from __future__ import annotations

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.project.wheel import FILES, PAGES, SITE, project_files, repository


def pages() -> dict[str, str]:
    """Return the text of each page by its name, such as `guide`.

    CrivoError: this crivo came without pages.
    """
    root = repository() or SITE / FILES
    found = {
        path.removeprefix("docs/").removesuffix(".md"): (root / path).read_text(encoding="utf-8")
        for path in project_files(root, PAGES)
    }
    if not found:
        raise CrivoError("This crivo came without its pages; install the wheel of `make wheel`.")
    return found


def page(name: str) -> str:
    """Return the text of a page; CrivoError when there is none of this name."""
    found = pages()
    if name not in found:
        raise CrivoError(
            f"There is no page {name!r}{did_you_mean(name, list(found))} (there are: "
            f"{', '.join(found)})"
        )
    return found[name]
