"""Does every link and every anchor of the documentation lead somewhere?"""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
ELSEWHERE = ("https://", "http://", "mailto:")


@cache
def parsed(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def inside(page: Path) -> list[Token]:
    """Return what stands in the page's lines: texts, links, images, HTML."""
    return [child for token in parsed(page) for child in [token, *(token.children or [])]]


def links(page: Path) -> list[str]:
    targets = [token.attrGet("href") or token.attrGet("src") for token in inside(page)]
    return [str(target) for target in targets if target]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its headings' and those written as HTML."""
    tokens = parsed(page)
    found: set[str] = set()
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open":
            slug = slug_of(content)
            found.add(next(one for one in (slug, *numbered(slug)) if one not in found))
    html = [token.content for token in inside(page) if token.type.startswith("html")]
    return found | set(re.findall(r'(?:id|name)="([^"]+)"', " ".join(html)))


def slug_of(heading: Token) -> str:
    """Return a heading's anchor as GitHub makes it."""
    shown = [
        part.content for part in heading.children or [] if part.type in ("text", "code_inline")
    ]
    return re.sub(r"[^\w\- ]", "", "".join(shown).lower()).replace(" ", "-")


def numbered(slug: str) -> list[str]:
    return [f"{slug}-{number}" for number in range(1, 100)]


def leads_nowhere(page: Path, link: str) -> str:
    """Return why a link leads nowhere, or nothing."""
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return f"{link}: there is no {path}"
    if anchor and target.suffix == ".md" and anchor not in anchors(target.resolve()):
        return f"{link}: {target.name} has no heading or anchor #{anchor}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    inner = [link for link in links(page) if not link.startswith(ELSEWHERE)]
    assert [why for link in inner if (why := leads_nowhere(page, link))] == []
