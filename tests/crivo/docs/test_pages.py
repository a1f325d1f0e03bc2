"""Written pages keep up with the code: each model, each metric, each decision."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from crivo.core.blocks import Model
from crivo.core.registry import find_block
from crivo.evaluation.metrics import metrics_of
from tests.crivo.shipped import SHIPPED

DOCS = Path(__file__).parents[3] / "docs"


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_page_says_what_each_shipped_model_can_do() -> None:
    header = "| model | has `early_stopping` |"
    table = text_of("blocks.md").partition(header)[2].partition("\n\n")[0].strip()
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]
    ]
    assert {name for name, *_ in rows} == SHIPPED["models"]
    assert rows == [[name, *abilities(find_block("model", name))] for name, *_ in rows]


def abilities(block: type[Model]) -> list[str]:
    stops = "early_stopping" in {one.name for one in fields(block)}
    return ["yes" if stops else "–"]


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
