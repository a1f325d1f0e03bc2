"""Does every link and every anchor of the documentation lead somewhere?"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
ELSEWHERE = ("https://", "http://", "mailto:")


def text_of(page: Path) -> str:
    """Return what a page says, without its code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"``.*?``|`([^`\n]*)`", lambda code: re.sub(r"[][]", "", code[1] or ""), text)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its headings', as GitHub makes them, and those of HTML."""
    text = text_of(page)
    headings = re.findall(r"^#+ (.*)", re.sub(r"<[^>\n]*>|\]\([^)]*\)", "", text), re.M)
    slugs = {re.sub(r"[^\w\- ]", "", one.strip().lower()).replace(" ", "-") for one in headings}
    return slugs | set(re.findall(r'(?:id|name)="([^"]+)"', text))


def leads_nowhere(page: Path, link: str) -> str:
    """Return why a link leads nowhere, or nothing."""
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return f"{link}: there is no {path}"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"{link}: {target.name} has no heading or anchor #{anchor}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r'\]\(([^)\s]+)[^)]*\)|(?:href|src)="([^"]+)"', text_of(page))
    inner = [link for both in links if not (link := "".join(both)).startswith(ELSEWHERE)]
    assert [why for link in inner if (why := leads_nowhere(page, link))] == []
