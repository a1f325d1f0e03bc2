"""`crivo docs`: the list of pages, a page as text, and a site in the browser."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from crivo.commands import pages as commands

RUN = CliRunner()


def out(*arguments: str) -> str:
    """Return what the command prints."""
    return RUN.invoke(app, ["docs", *arguments], catch_exceptions=False).stdout


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
