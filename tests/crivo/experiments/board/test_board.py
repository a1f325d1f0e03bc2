"""The board: its values are the comparison's, and it says in words what they show."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from crivo.comparison.board.page import MAX_POINTS, _environment, board_page
from crivo.comparison.compare import compare
from crivo.comparison.result import ComparisonResult, RefusedExperiment
from crivo.core.results import as_json
from crivo.project.contents import shipped_file
from crivo.records.history import read_history
from crivo.records.noted import remark
from tests.crivo.experiments.many import make_many
from tests.crivo.experiments.repository import Project

EVIL = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"
Board = tuple[ComparisonResult, str, Any]


def made(project: Project, *names: str) -> Board:
    """Return a comparison, its page, and the values in the page."""
    history = read_history(project.folder)
    comparison = compare(names, folder=project.folder, history=history)
    page = board_page(comparison, history, shipped_file(".dvc/plots/offline.html"))
    texts = re.findall(r'<script type="application/json" id="values">(.*?)</script>', page)
    return comparison, page, json.loads(texts[0]) if texts else None


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a repository with 23 experiments; don't change it."""
    return make_many(tmp_path_factory.mktemp("many") / "project", 23)


@pytest.fixture(scope="module")
def shown(many: Project) -> Board:
    """Give the comparison of the 23 and its board."""
    return made(many)


def test_the_values_on_the_page_are_the_document_of_compare(shown: Board) -> None:
    comparison, _, values = shown
    told = json.loads(as_json("compare", comparison))
    for own, experiment in zip(values["experiments"], told["experiments"], strict=True):
        assert own.items() >= experiment.items()
    assert {name: values[name] for name in told if name != "experiments"} == {
        name: told[name] for name in told if name != "experiments"
    }


def test_settings_that_vary_are_told_in_the_table_s_order(shown: Board) -> None:
    comparison, _, values = shown
    by_key = {one["key"]: one["of"] for one in values["settings"]}
    assert "models.prior" not in by_key
    assert next(iter(by_key)) == "model"
    rates = by_key["models.boosting.learning_rate"]
    for name, chosen, rate in zip(comparison.table.index, by_key["model"], rates, strict=True):
        assert name == "main" or str(name).startswith(chosen)
        assert (rate is None) == (chosen != "boosting")


def test_slices_are_the_experiments_own_values(many: Project, shown: Board) -> None:
    comparison, _, values = shown
    history = read_history(many.folder)
    of = values["slices"]["roc_auc"]["weekday = 3"]
    assert [int(i) for i in of] == values["in_full"]
    for i, limits in of.items():
        record = history.find(comparison.table.index[int(i)])
        (ends,) = ([*one[2:]] for one in record.slices("roc_auc") if one.name == "weekday = 3")
        assert limits == pytest.approx(ends)
    assert {*values["slices"]} == {one["name"] for one in values["metrics"]}


def test_curves_are_those_of_the_reference_of_stars_and_of_the_best(
    many: Project, shown: Board
) -> None:
    last = str(shown[0].table.index[-1])
    remark(last, "star", folder=many.folder)
    try:
        comparison, _, values = made(many)
    finally:
        remark(last, "unstar", folder=many.folder)
    names = [comparison.table.index[i] for i in values["in_full"]]
    assert {"main", last, *comparison.table.index[:20]} == {*names}
    (roc,) = values["curves"]
    assert roc["name"] == "roc"
    xs, ys = roc["of"][str(values["in_full"][0])]
    assert (len(xs), xs[0], xs[-1], ys[-1]) == (MAX_POINTS, 0, 1, 1)


def test_a_page_is_made_of_whatever_was_found(shown: Board) -> None:
    comparison, first, *others = shown[0], *shown[0].experiments
    better = replace(first, verdict="better", message="", author="")
    worse = replace(first, verdict="worse", changed="", message="Why?", author="Ana")
    refused = (RefusedExperiment("x", "other rows", "run it again"),)
    told: list[dict[str, Any]] = [
        {"experiments": (worse,), "answer": "So.", "notes": ("one",), "planned_trials": 9},
        {"experiments": (better,), "answer": "So", "notes": ("one",) * 3, "refused": refused},
        {"experiments": (better, better), "notes": ()},
        {"experiments": (better, worse)},
        {"experiments": (worse, worse)},
        {"experiments": (better, *others)},
        {"experiments": (), "primary": ""},
        {"experiments": (), "refused": refused},
    ]
    page = _environment().get_template("page.html.j2")
    parts = {"style": "", "values": {}, "library": "", "script": "", "labelled": str}
    for facts in told:
        assert page.render(found=replace(comparison, **facts), **parts)
