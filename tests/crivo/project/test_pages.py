"""`crivo docs`: the pages as text."""

import re

import pytest
from tests.crivo.pipeline.project import ROOT

from crivo.core.errors import CrivoError
from crivo.project.pages import page, pages


def test_a_page_is_the_file_of_the_repository() -> None:
    assert page("guide") == (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    with pytest.raises(CrivoError, match="There is no page 'guid'; did you mean `guide`"):
        page("guid")


def test_every_page_that_is_named_exists() -> None:
    texts = [*ROOT.glob("src/**/*.py"), *ROOT.glob("src/**/*.txt"), *ROOT.glob("docs/*.md")]
    named = {
        name
        for path in texts
        for name in re.findall(r"`crivo docs ([a-z/-]+)`", path.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= pages().keys()
