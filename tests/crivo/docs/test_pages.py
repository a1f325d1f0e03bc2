"""Written pages keep up with the code, and every link and anchor of theirs leads somewhere."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from crivo.core.registry import find_block
from crivo.evaluation.metrics import metrics_of
from tests.crivo.shipped import SHIPPED

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_page_says_what_each_shipped_model_can_do() -> None:
    header = "| model | has `early_stopping` |"
    table = text_of("blocks.md").partition(header)[2].partition("\n\n")[0].strip()
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \|$", table, re.MULTILINE)
    assert {name for name, _ in rows} == SHIPPED["models"]
    for name, stops in rows:
        settings = {one.name for one in fields(find_block("model", name))}
        assert stops == ("yes" if "early_stopping" in settings else "–"), name


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_page_lists_the_metrics_with_their_direction(task: str) -> None:
    section = text_of("evaluation.md").split(f"### {task.capitalize()}\n")[1].split("\n#")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| (\w+)", section, flags=re.MULTILINE))
    assert listed == {name: found.direction for name, found in metrics_of(task).items()}


def test_the_list_names_every_decision_under_its_number() -> None:
    listed = re.findall(r"^\| \[(\d{4})\]\((.+)\) \|", text_of("decisions/README.md"), re.MULTILINE)
    pages = sorted(path.name for path in (DOCS / "decisions").glob("[0-9]*.md"))
    assert [page for _, page in listed] == pages
    for number, page in listed:
        assert page.startswith(number)
        assert text_of(f"decisions/{page}").startswith(f"# {number}: ")


LINKED = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
ELSEWHERE = ("https://", "http://", "mailto:")


def prose_of(page: Path) -> str:
    """Return what a page says, without its code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"``.*?``|`([^`\n]*)`", lambda code: re.sub(r"[][]", "", code[1] or ""), text)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its headings', as GitHub makes them, and those of HTML."""
    text = prose_of(page)
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


@pytest.mark.parametrize("page", LINKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r'\]\(([^)\s]+)[^)]*\)|(?:href|src)="([^"]+)"', prose_of(page))
    inner = [link for both in links if not (link := "".join(both)).startswith(ELSEWHERE)]
    assert [why for link in inner if (why := leads_nowhere(page, link))] == []
