"""Is every decision in the list of decisions, under its number?"""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "docs/decisions"


def test_the_list_names_every_decision_under_its_number() -> None:
    listed = re.findall(
        r"^\| \[(\d{4})\]\((.+)\) \|", (FOLDER / "README.md").read_text(), re.MULTILINE
    )
    assert [page for _, page in listed] == sorted(path.name for path in FOLDER.glob("[0-9]*.md"))
    for number, page in listed:
        assert page.startswith(number)
        assert (FOLDER / page).read_text(encoding="utf-8").startswith(f"# {number}: ")
