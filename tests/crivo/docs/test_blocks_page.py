"""docs/blocks.md says what each shipped model can do."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from crivo.core.blocks import Model
from crivo.core.registry import find_block
from tests.crivo.shipped import SHIPPED

ROOT = Path(__file__).parents[3]
HEADER = "| model | learns in steps | has `early_stopping` | is fitted out of memory |"


def test_the_page_says_what_each_shipped_model_can_do() -> None:
    page = (ROOT / "docs/blocks.md").read_text(encoding="utf-8")
    table = page.partition(HEADER)[2].partition("\n\n")[0].strip().splitlines()[1:]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table]
    assert {name for name, *_ in rows} == SHIPPED["models"]
    assert rows == [[name, *told(find_block("model", name))] for name, *_ in rows]


def told(block: type[Model]) -> list[str]:
    stops = "early_stopping" in {one.name for one in fields(block)}
    batches = block.fit_batches is not Model.fit_batches
    return [cell or "–" for cell in (block.steps, "yes" * stops, "yes" * batches)]
