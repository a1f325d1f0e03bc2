"""A comparison as text, Markdown and JSON."""

from datetime import UTC, datetime, timedelta

import pytest

from crivo.comparison.choice import Filters
from crivo.comparison.compare import compare
from crivo.comparison.numbers import age, bracket, decimals, number
from crivo.comparison.text import as_markdown, as_text
from tests.crivo.experiments.repository import (
    OTHER_WAY,
    Project,
    evaluation_files,
    settings,
    spread,
)

MAIN = evaluation_files({"roc_auc": spread(0.70), "log_loss": spread(0.40)})
GOOD = evaluation_files(
    {"roc_auc": spread(0.72, 0.003), "log_loss": spread(0.42, 0.003)},
    settings=settings(models__boosting__learning_rate=0.05),
)
OTHER = evaluation_files(
    {"roc_auc": spread(0.71, 0.003, OTHER_WAY), "log_loss": spread(0.4, 0.003, OTHER_WAY)}
)


@pytest.fixture
def tried(project: Project) -> Project:
    """Give a repository with main and one trial."""
    project.commit(MAIN)
    project.trial("slow", GOOD, message="Slower | learning *helps*", author="Rui")
    return project


def test_the_first_line_is_the_answer(tried: Project) -> None:
    """0.02 ± 2.3735 * 0.008 = [0.00101, 0.03899]."""
    found = compare(["slow"], folder=tried.folder)
    assert found.answer == (
        "slow is better than main: roc_auc +0.0200 [+0.0010, +0.0390]; worse in log_loss; "
        "corrected as trial 1 of 1 (1 planned)"
    )
    assert as_text(found).splitlines()[0] == found.answer


def test_an_undecided_answer_says_what_could_have_been_shown(tried: Project) -> None:
    """One beyond the plan: 0.01 ± 4.74 * 0.008; (4.74 + 0.889) * 0.008 = 0.045."""
    tried.trial("other", OTHER)
    text = compare(["other"], folder=tried.folder).answer
    assert text.startswith("other vs main is undecided: roc_auc +0.010 [-0.02")
    assert text.endswith(
        ", needs ≥ 0.045; no metric is shown to be worse; corrected as trial 2 of 2 (1 planned)"
    )


def test_nothing_changed_is_said(tried: Project) -> None:
    tried.trial("nothing", MAIN)
    assert compare(["nothing"], folder=tried.folder).answer == (
        "nothing is identical to main: the metric doesn't differ at all, as when a setting changes "
        "nothing"
    )


def test_what_differs_is_the_answer_before_what_is_identical(tried: Project) -> None:
    worse = evaluation_files({"roc_auc": spread(0.6), "log_loss": spread(0.40)})
    for name, files in (("nothing", MAIN), ("low", worse)):
        tried.trial(name, files)
    assert compare(["nothing", "low"], folder=tried.folder).answer.startswith("low is worse than")


def test_a_lone_commit_has_nothing_to_be_compared_with(project: Project) -> None:
    project.commit(MAIN)
    assert compare(folder=project.folder).answer.startswith("there is nothing yet to compare")


def test_filters_that_nothing_fits_are_said(tried: Project) -> None:
    found = compare(filters=Filters(author="Nobody"), folder=tried.folder)
    assert found.answer == "no experiment matches the filters"


def test_the_table_fits_80_columns_and_shows_what_matters(tried: Project) -> None:
    name = "boosting-learning_rate=0.05-max_leaf_nodes=63"
    tried.trial(name, OTHER, message="A long hypothesis " * 8)
    tried.trial("data", evaluation_files({"roc_auc": spread(0.9)}, rows="r2"))
    now = datetime.fromtimestamp(tried.clock, UTC) + timedelta(hours=3)
    text = as_text(compare(folder=tried.folder), details=True, now=now)
    assert max(map(len, text.splitlines()[1:])) <= 80
    for part in (name, "learning_rate=0.05", "Rui, 3 h", "Slower", "Refused", "log_loss"):
        assert part in text


def test_details_name_the_slices_that_are_worse_than_the_rest(tried: Project) -> None:
    columns = "slice,kind,rows,roc_auc,roc_auc_low,roc_auc_high,verdict"
    slices = "all rows,all,9,.7,.6,.8,\norigin = JFK,column,5,.65,.6,.7,worse\nx,column,1,,,,\n"
    files = {**OTHER, "metrics/evaluation/slices.csv": f"{columns}\n{slices}"}
    tried.trial("sliced", files)
    found = compare(["sliced"], folder=tried.folder)
    line = "    origin = JFK           0.650 ±0.050   worse than the other rows"
    assert as_text(found, details=True).splitlines()[-1] == line
    assert "JFK" not in as_text(found)


def test_markdown_shows_messages_as_they_are(tried: Project) -> None:
    text = as_markdown(compare(folder=tried.folder))
    assert r"Slower \| learning \*helps\*" in text
    header, line, *rows = text.split("\n\n")[1].splitlines()
    assert header.count("|") == line.count("|") == 10
    assert [row.count("|") - row.count(r"\|") for row in rows] == [10, 10]


@pytest.mark.parametrize(
    ("uncertainty", "digits"), [(0.0018, 4), (0.08, 3), (1.5, 1), (23, 0), (0.0, 4)]
)
def test_an_uncertainty_is_shown_with_two_digits(uncertainty: float, digits: int) -> None:
    assert decimals(uncertainty) == digits


def test_a_number_has_a_digit_before_its_point() -> None:
    assert number(0.5, 2) == "0.50"
    assert number(-0.5, 2, sign=True) == "-0.50"
    assert number(12.34, 1, sign=True) == "+12.3"
    assert number(-0.001, 2) == "0.00"
    assert number(float("nan"), 2) == "–"
    assert number(1234.5, 0) == "1234"
    assert bracket(-1, 2, 1, sign=True) == "[-1.0, +2.0]"


def test_an_age_is_rough() -> None:
    then = datetime(2024, 1, 1, tzinfo=UTC)
    for after, text in (({"seconds": 5}, "now"), ({"minutes": 7}, "7 min"), ({"hours": 30}, "1 d")):
        assert age(then, then + timedelta(**after)) == text
