"""The board: its values are the comparison's, its bytes the same, and no text of it is code."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from crivo.comparison.board import Board, board, board_page
from crivo.comparison.board.curves import MAX_POINTS
from crivo.comparison.board.words import is_better, what_changed
from crivo.comparison.compare import compare
from crivo.comparison.result import Comparison
from crivo.core.results import as_json
from crivo.project.contents import shipped_file
from crivo.records.history import read_history
from crivo.records.noted import set_star
from crivo.repository.kept import keep_times
from tests.crivo.experiments.many import make_many
from tests.crivo.experiments.repository import Project, evaluation_files, spread
from tests.crivo.experiments.tried import GOOD, MAIN

EVIL = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"


def made(project: Project, **options: Any) -> tuple[Comparison, Board]:
    history = read_history(project.folder)
    comparison = compare(folder=project.folder, history=history, **options)
    return comparison, board(comparison, history)


def page_of(project: Project) -> str:
    return board_page(made(project)[1], shipped_file(".dvc/plots/offline.html"))


def values_in(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="values">(.*?)</script>', page)
    return json.loads(text)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a repository with 30 experiments; don't change it."""
    return make_many(tmp_path_factory.mktemp("many") / "project", 30)


@pytest.fixture(scope="module")
def shown(many: Project) -> tuple[Comparison, Board]:
    """Give the comparison of the 30 and its board."""
    return made(many)


def test_times_of_fitting_and_predicting_are_those_that_are_kept(tmp_path: Path) -> None:
    project = make_many(tmp_path / "project", 2)
    history = read_history(project.folder)
    known = {one.name: one.model or "" for one in history.trials}
    timed, name = next(iter(known)), "fit_seconds"
    keep_times(history.repository, {known[timed]: {"fit": 2.0, "predict": 3e-6}})
    values = values_in(page_of(project))
    place = values["experiments"]["name"].index(timed)
    assert [values[name][place], values["predict_seconds"][place]] == [2.0, 3e-6]
    assert sum(one is not None for one in values[name]) == 1


def test_the_values_on_the_page_are_those_of_compare(shown: tuple[Comparison, Board]) -> None:
    comparison, found = shown
    told = json.loads(as_json("compare", comparison.document))
    values = values_in(board_page(found, shipped_file(".dvc/plots/offline.html")))
    for i, experiment in enumerate(told["experiments"]):
        metrics = experiment.pop("metrics")
        # Moments are written in two ways, and slices stand elsewhere on the page.
        for name in experiment.keys() - {"when", "worse_slices"}:
            assert values["experiments"][name][i] == experiment[name], name
        for metric in metrics:
            of = values["compared"][metric["metric"]]
            assert all(of[name][i] == metric[name] for name in of if name in metric)
    assert [*values["compared"]] == [metric["metric"] for metric in metrics]
    assert (values["reference"], values["trials"]) == (told["reference"], told["trials"])
    assert values["notes"] == told["notes"]


def test_settings_that_vary_are_told_by_value_and_place(shown: tuple[Comparison, Board]) -> None:
    comparison, found = shown
    by_key = {one["key"]: one for one in found.values["settings"]}
    assert "models.prior" not in by_key
    assert next(iter(by_key)) == "model"
    model, rate = by_key["model"], by_key["models.boosting.learning_rate"]
    for i, name in enumerate(comparison.table.index):
        chosen = model["values"][model["of"][i]]
        assert name == "main" or str(name).startswith(chosen)
        assert (rate["of"][i] is None) == (chosen != "boosting")
    assert rate["values"] == sorted(rate["values"])


def test_slices_are_the_experiments_own_values(
    many: Project, shown: tuple[Comparison, Board]
) -> None:
    comparison, found = shown
    history = read_history(many.folder)
    slices = found.values["slices"]
    place = str(slices["names"].index("weekday = 3"))
    of = slices["of"]["roc_auc"][place]
    for i, value, low, high in zip(of["i"], of["value"], of["low"], of["high"], strict=True):
        record = history.find(comparison.table.index[i])
        row = record.slices.loc["weekday = 3"]
        assert [value, low, high] == pytest.approx([*row[["value", "low", "high"]]], rel=1e-4)
    assert {*slices["of"]} == {*found.values["compared"]}
    assert len(slices["of"]["log_loss"][place]["i"]) == len(found.values["chosen"])


def test_curves_are_those_of_the_reference_of_stars_and_of_the_best(
    many: Project, shown: tuple[Comparison, Board]
) -> None:
    comparison, _ = shown
    last = str(comparison.table.index[-1])
    set_star(last, True, many.folder)
    try:
        comparison, found = made(many)
    finally:
        set_star(last, False, many.folder)
    names = [comparison.table.index[i] for i in found.values["chosen"]]
    assert {"main", last, *comparison.table.index[:20]} == {*names}
    (roc,) = found.values["curves"]
    assert roc["name"] == "roc"
    xs, ys = roc["of"][str(found.values["chosen"][0])]
    assert (len(xs), xs[0], xs[-1], ys[-1]) == (MAX_POINTS, 0, 1, 1)


def test_the_first_screen_answers_both_questions(tried: Project) -> None:
    comparison, _ = made(tried)
    assert is_better(comparison)["answer"] == "Yes: slow is better than main in roc_auc."
    (one,) = what_changed(comparison)
    assert (one["name"], one["changed"]) == ("slow", "learning_rate=0.05")
    assert (one["message"], one["made"]) == ("Slower learning helps", "Rui, 2023-11-14")


def test_other_rows_stand_apart_and_have_no_rank(tried: Project) -> None:
    tried.trial("elsewhere", evaluation_files({"roc_auc": spread(0.99)}, rows="r2"))
    tried.trial("broken", {**GOOD, "metrics/evaluation/intervals.csv": "metric\n"})
    _, found = made(tried)
    assert [*found.values["experiments"]["name"]] == ["slow", "main"]
    assert {one["name"] for one in found.values["refused"]} == {"elsewhere", "broken"}


def test_all_refused_makes_a_page_too(project: Project) -> None:
    project.commit(MAIN)
    project.trial("elsewhere", evaluation_files({"roc_auc": spread(0.99)}, rows="r2"))
    history = read_history(project.folder)
    comparison = compare(["elsewhere"], folder=project.folder, history=history)
    values = board(comparison, history).values
    assert (values["metrics"], values["compared"], values["primary"]) == ([], {}, "")
    assert [one["name"] for one in values["refused"]] == ["elsewhere"]
