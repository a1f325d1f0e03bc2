"""`crivo docs`: the documentation's pages, Markdown from crivo's repository or from the wheel."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.project.wheel import PAGES, copy_file, project_files, shipped

# The page of decisions leads to each of them, so lists of pages leave them out.
INDEX, DECISION = "index", "decisions/0"
STYLE = (
    "body{max-width:50rem;margin:auto;padding:1rem;font:1rem/1.5 system-ui;color-scheme:light dark}"
    "pre{overflow:auto}td,th{padding:.2rem .6rem;text-align:left;vertical-align:top}"
)


def pages() -> dict[str, str]:
    """Return the text of each page by its name, such as `guide`."""
    root = shipped()
    return {
        path.removeprefix("docs/").removesuffix(".md"): (root / path).read_text(encoding="utf-8")
        for path in project_files(root, PAGES)
        if path.endswith(".md")
    }


def page(name: str) -> str:
    """Return the text of a page; CrivoError when there is none of this name."""
    found = pages()
    if name not in found:
        listed = ", ".join(one for one in found if not one.startswith(DECISION))
        raise CrivoError(
            f"There is no page {name!r}{did_you_mean(name, list(found))} (there are: {listed})"
        )
    return found[name]


def write_site(folder: Path) -> None:
    """Write every page as HTML, with the pictures and files that it leads to.

    A link from one page to another goes to its HTML.
    """
    from markdown_it import MarkdownIt

    root = shipped()
    for path in project_files(root, PAGES):
        if not path.endswith(".md"):
            copy_file(root / path, folder / path.removeprefix("docs/"))
    markdown = MarkdownIt("commonmark").enable("table")
    for name, text in pages().items():
        body = re.sub(r'(href="[^":]+)\.md(?=["#])', r"\1.html", markdown.render(text))
        body = re.sub(r"<(h[2-4])>(.*?)</\1>", _with_anchor, body)
        place = folder / f"{name}.html"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(
            f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{escape(name)}</title>'
            f"<style>{STYLE}</style><body>{body}</body></html>",
            encoding="utf-8",
        )


def _with_anchor(heading: re.Match[str]) -> str:
    """Return a heading with the anchor by which other pages link to it."""
    kind, text = heading.groups()
    words = re.sub(r"<[^>]*>|[^\w\s-]", "", text.lower())
    return f'<{kind} id="{"-".join(words.split())}">{text}</{kind}>'
