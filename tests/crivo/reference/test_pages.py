"""The pages that are made from the code are what the code says, and each part has its words."""

import re
import runpy
from pathlib import Path

import pytest
from tests.crivo.shipped import SHIPPED

from crivo.core.blocks import KINDS
from crivo.core.params import Params
from crivo.reference.pages import PAGES, sentences

ROOT = Path(__file__).parents[3]


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_page_is_what_the_code_says(page: str) -> None:
    """A block of your own needs no line on the page; what is on it has to be right."""
    assert PAGES[page]() == text_of(page), "run `make docs`"


def test_the_command_writes_all_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs/reference").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    runpy.run_module("crivo.reference", run_name="__main__")
    assert {page: Path(page).read_bytes() for page in PAGES} == {
        page: (ROOT / page).read_bytes() for page in PAGES
    }


def test_every_setting_of_every_shipped_block_has_a_full_sentence() -> None:
    text = text_of("docs/reference/settings.md")
    for folder, _ in KINDS.values():
        assert SHIPPED[folder] <= set(re.findall(rf"^### `{folder}\.(\w+)`$", text, re.MULTILINE))
    rows = re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", text, flags=re.MULTILINE)
    assert len(rows) > 80
    sections = {place.partition(".")[0] for place in sentences()}
    assert Params.model_fields.keys() <= sections | sentences()[""].keys()
    assert [name for name, said in rows if not re.fullmatch(r" [A-Z].*\w.* .*\. ", said)] == []
    for place, named in sentences().items():
        heading = f"`{place}`" if place else "Top-level settings"
        section = re.split(r"^##", text.partition(f"# {heading}\n")[2], flags=re.MULTILINE)[0]
        assert set(re.findall(r"^\| `(\w+)`", section, flags=re.MULTILINE)) == set(named), place
