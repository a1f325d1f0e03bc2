"""Is the page of settings in step with the classes that check them?"""

import re
from collections.abc import Sequence
from pathlib import Path

from tests.crivo.shipped import SHIPPED

from crivo.core.blocks import KINDS
from crivo.reference.settings import PAGE, sentences, settings_page

TEXT = (Path(__file__).parents[3] / PAGE).read_text(encoding="utf-8")


def on_the_page(kind: str) -> Sequence[str]:
    return re.findall(rf"^### `{KINDS[kind][0]}\.(\w+)`$", TEXT, flags=re.MULTILINE)


def test_the_page_is_what_the_classes_say() -> None:
    """A block of your own needs no line on the page; what is on it has to be right."""
    assert settings_page(on_the_page) == TEXT, "run `make docs`"


def test_every_shipped_block_is_on_the_page() -> None:
    for kind, (folder, _) in KINDS.items():
        assert SHIPPED[folder] <= set(on_the_page(kind))


def test_every_setting_has_a_full_sentence() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", TEXT, flags=re.MULTILINE)
    assert len(rows) > 80
    assert [name for name, said in rows if not re.fullmatch(r" [A-Z].*\w.* .*\. ", said)] == []


def test_every_sentence_is_that_of_a_setting() -> None:
    for place, named in sentences().items():
        heading = f"`{place}`" if place else "At the top"
        section = re.split(r"^##", TEXT.partition(f"# {heading}\n")[2], flags=re.MULTILINE)[0]
        assert set(re.findall(r"^\| `(\w+)`", section, flags=re.MULTILINE)) == set(named), place
