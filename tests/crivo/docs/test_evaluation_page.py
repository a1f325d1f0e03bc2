"""docs/evaluation.md names every metric, and no other, in the table of its task."""

import re
from pathlib import Path

import pytest

from crivo.evaluation.metrics import metrics_of

PAGE = (Path(__file__).parents[3] / "docs/evaluation.md").read_text(encoding="utf-8")


def rows_of(task: str) -> dict[str, str]:
    """Return the direction that the page gives each metric of a task."""
    section = PAGE.split(f"### {task.capitalize()}\n")[1].split("\n#")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (\w+)", section, flags=re.MULTILINE))


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_page_lists_the_metrics_with_their_direction(task: str) -> None:
    assert rows_of(task) == {name: found.direction for name, found in metrics_of(task).items()}
