"""A comparison as text, Markdown and HTML: whole ones as `session.txt` has them."""

import re
from html import escape
from pathlib import Path

import pytest

import crivo
from crivo.comparison.board.page import board_values
from crivo.comparison.compare import compare
from crivo.comparison.text import as_text
from crivo.records.history import read_history
from crivo.trials.plan import plan, plan_text
from tests.crivo.cli import invoke
from tests.crivo.experiments.repository import (
    OTHER_WAY,
    Project,
    evaluated,
    evaluation_files,
    settings,
    spread,
)
from tests.crivo.experiments.tried import GOOD, MAIN, OTHER, session

HERE = Path(__file__).parent
LONG = "boosting-learning_rate=0.05-max_leaf_nodes=63"
WORSE = evaluation_files({"roc_auc": spread(0.60, 0.003), "log_loss": spread(0.4)}, model="bad")
WORSE_IN_BOTH = evaluated(0.61, 0.003, log_loss=0.5)
NEAR = evaluated(0.71, 0.003, OTHER_WAY, log_loss=0.4)
SLICES = """slice,kind,rows,roc_auc,roc_auc_low,roc_auc_high,verdict
all rows,all,9,.7,.6,.8,
origin = JFK,column,5,.65,.6,.7,worse
departure_airport_region = North-East,column,5,.65,.6,.7,worse
departure_airport_region = North-West,column,5,.65,.6,.7,worse
x,column,1,,,,
"""


@pytest.fixture
def crowd(project: Project) -> Project:
    """Give a repository with a trial for each verdict, long names and texts, and a refused one."""
    project.commit(MAIN)
    project.trial("slow", GOOD, message="<img src=x onerror=1>|a*b_c`d[e](f) `helps`", author="Rui")
    sliced = NEAR | {"metrics/evaluation/slices.csv": SLICES}
    project.trial(LONG, sliced, message="A long hypothesis " * 12)
    project.trial("nothing", MAIN)
    order = {"roc_auc": spread(0.70), "log_loss": spread(0.5, 0.003)}
    project.trial("scaled", evaluation_files(order))
    project.trial("bad", WORSE)
    project.trial("worst", WORSE_IN_BOTH)
    project.trial("data", evaluated(0.9, rows="r2"))
    return project


def test_a_notebook_shows_the_answer_and_all_notes(
    crowd: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("params.yaml", "dvc.yaml"):
        (crowd.folder / name).touch()
    monkeypatch.setattr("crivo.notebook.put_project_first", lambda _: None)
    (crowd.folder / "notebooks").mkdir()
    found = crivo.compare(folder=crowd.folder / "notebooks")
    assert found == compare(folder=crowd.folder)
    assert crivo.compare("bad", against="slow", folder=crowd.folder).reference == "slow"
    rows = crivo.experiments(crowd.folder)
    columns = ["changed", "roc_auc", "vs main", "verdict", "worse in", "author", "date", "message"]
    assert [*rows] == columns
    assert [*rows.index] == ["slow", LONG, "nothing", "scaled", "main", "worst", "bad"]
    shown = ["0.610 ±0.020", "−0.090 [−0.109, −0.071]", "worse", "roc_auc, log_loss"]
    assert rows.loc["worst"].tolist() == ["", *shown, "Ana", "2023-11-14", ""]
    html = found._repr_html_()
    assert all(f"<p>{escape(note)}</p>" in html for note in found.notes)
    assert html.startswith(f"<p><strong>{escape(found.answer)}</strong></p><table ")
    refused = compare(["data"], folder=crowd.folder)
    assert "<th>experiment</th>" in refused._repr_html_()


def test_a_long_list_is_cut_and_says_so(tried: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        tried.trial(f"trial-{number}", {**OTHER, "note": str(number)})
    monkeypatch.chdir(tried.folder)
    options = ([], ["--all"], ["--help"], ["--md"])
    listed, whole, told, page = (invoke("compare", *more).output for more in options)
    assert "all are compared, and the best 20 are listed" in " ".join(told.replace("│", "").split())
    assert (listed.count("\ntrial-"), whole.count("\ntrial-")) == (19, 20)
    words = "2 more; --all lists all experiments, and --where selects some\n"
    assert f"\n{words}" in listed
    assert f" |\n\n{words}\n" in page
    history = read_history(tried.folder)
    board = board_values(compare(history=history), history)
    assert board["in_full"] == [*range(20), 21]


def test_a_session_prints_what_it_should(crowd: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals by hand: 0.02 ± 2.3735 * 0.008 = [0.001, 0.039], that of the one planned trial."""
    monkeypatch.setattr("crivo.records.ledger.time.time", lambda: crowd.clock + 60.0)
    crowd.git("reset", "--quiet", "--hard")
    monkeypatch.chdir(crowd.folder)
    expected = (HERE / "session.txt").read_text(encoding="utf-8")
    assert session(expected) == expected


@pytest.mark.parametrize(
    ("cluster", "value", "words"),
    [
        (None, 0.71, "There are 100 rows; with about "),
        ("date", 0.71, ", which count as 7 equal ones; with "),
        (
            "date",
            0.70001,
            "Even a hundred times as many clusters as these 9 wouldn't be enough for",
        ),
    ],
)
def test_what_would_decide_is_told_in_what_a_reader_can_get(
    project: Project, cluster: str | None, value: float, words: str
) -> None:
    """Names that just fill their columns aren't cut."""
    known = {"effective_clusters": 7.0, "settings": settings(evaluate__cluster=cluster)}
    project.commit(evaluated(0.70, **known), ref=f"refs/heads/{'m' * 24}")
    project.git("symbolic-ref", "HEAD", f"refs/heads/{'m' * 24}")
    project.trial("n" * 26, evaluated(value, 0.003, **known, n_clusters=9))
    found = compare(["n" * 26], folder=project.folder)
    assert words in found.notes[-1]
    assert words in " ".join(plan_text(plan("n" * 26, folder=project.folder)).split())
    assert re.search(f"± +vs {'m' * 24} verdict\\n{'n' * 26} 0.7", as_text(found))
