"""`crivo docs`: the pages, as text and as a site of their own."""

import re
from pathlib import Path

from tests.crivo.pipeline.project import ROOT

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
