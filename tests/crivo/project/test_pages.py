"""`crivo docs`: the list of pages, each as text, and a site of their own."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.crivo.cli import invoke
from tests.crivo.pipeline.project import ROOT

from crivo.commands import pages as commands
from crivo.project.pages import pages, write_site


def test_every_link_of_the_site_leads_somewhere(tmp_path: Path) -> None:
    """Also decisions and pictures; the tables that the sample report names aren't beside it."""
    write_site(tmp_path)
    shown = {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html")}
    links = [
        (place, *found)
        for place, text in shown.items()
        for found in re.findall(r'(?:href|src)="([^":#]*)(?:#([^"]*))?"', text)
        if place.name != "report.html"
    ]
    assert len(links) > 100
    for place, target, anchor in links:
        file = (place.parent / target).resolve() if target else place
        assert file.is_file(), f"{place.name} links to {target}"
        assert not anchor or f'id="{anchor}"' in shown[file], f"{place.name}: {target}#{anchor}"


def test_every_page_that_is_named_exists() -> None:
    texts = [*ROOT.glob("src/**/*.py"), *ROOT.glob("src/**/*.txt"), *ROOT.glob("docs/*.md")]
    named = {
        name
        for path in texts
        for name in re.findall(r"`crivo docs ([a-z/-]+)`", path.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= pages().keys()


def out(*arguments: str) -> str:
    """Return what the command prints."""
    return invoke("docs", *arguments, catch_exceptions=False).stdout


def test_the_pages_are_listed_and_shown() -> None:
    assert "crivo docs guide                Guide: from a clone to a shared experiment\n" in out()
    assert out("why").startswith("# Why: ")


def test_the_browser_opens_the_page_of_a_site(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(commands.webbrowser, "open", opened.append)
    out("guide", "--open")
    page = Path(urlsplit(opened[0]).path)
    assert page.name == "guide.html"
    assert (page.parent / "blocks.html").is_file()
