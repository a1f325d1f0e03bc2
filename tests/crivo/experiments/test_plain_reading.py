"""What a comparison prints can be read in one way only."""

from datetime import UTC, datetime

import pytest

from crivo.comparison.compare import compare
from crivo.comparison.text import as_markdown, as_text
from tests.crivo.experiments.repository import Project, evaluation_files, spread

MAIN = evaluation_files({"roc_auc": spread(0.70), "log_loss": spread(0.40)})
# Worse in the metric that decides, and in it alone or in the other one too.
WORSE = evaluation_files({"roc_auc": spread(0.60, 0.003), "log_loss": spread(0.40)})
WORSE_IN_BOTH = evaluation_files({"roc_auc": spread(0.60, 0.003), "log_loss": spread(0.5, 0.003)})


@pytest.fixture
def bad(project: Project) -> Project:
    """Give a repository with main and two trials that are worse."""
    project.commit(MAIN)
    project.trial("bad", WORSE)
    project.trial("worst", WORSE_IN_BOTH)
    return project


def test_what_is_worse_is_never_said_to_be_worse_in_nothing(bad: Project) -> None:
    lines = as_markdown(compare(["bad"], folder=bad.folder)).splitlines()
    heads, row = (
        [cell.strip() for cell in line.split("|")]
        for line in (lines[2], lines[-1])
        if line.startswith("|")
    )
    cells = dict(zip(heads, row, strict=True))
    assert cells["verdict"] == "worse"
    assert cells["worse in"] == r"roc\_auc"
    assert "no other metric is shown to be worse" in compare(["bad"], folder=bad.folder).answer


def test_other_metrics_are_worse_besides_the_one_that_decides(bad: Project) -> None:
    found = compare(["worst"], folder=bad.folder)
    assert r"| roc\_auc, log\_loss |" in as_markdown(found)
    assert "; also worse in log_loss; " in found.answer
    assert "also worse in log_loss" in as_text(found).split("verdict\n")[1]


def test_two_names_are_never_cut_until_they_are_one(bad: Project) -> None:
    columns = "slice,kind,rows,roc_auc,roc_auc_low,roc_auc_high,verdict"
    names = [f"departure_airport_region = North-{end}" for end in ("East", "West")]
    rows = "\n".join(f"{name},column,5,.65,.6,.7,worse" for name in names)
    files = {**WORSE, "metrics/evaluation/slices.csv": f"{columns}\n{rows}\n"}
    bad.trial("sliced", files)
    now = datetime.fromtimestamp(bad.clock, UTC)
    lines = as_text(compare(["sliced"], folder=bad.folder), details=True, now=now).splitlines()
    for name in names:
        assert f"    {name}" in lines
    assert max(map(len, lines[1:])) <= 80
