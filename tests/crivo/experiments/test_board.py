"""The values on the board: those of the comparison and the slices, with short labels."""

import json
import re
from pathlib import Path

import pytest

from crivo.comparison.board.page import board_page, curves_of
from crivo.comparison.compare import compare
from crivo.core.cache import Cache
from crivo.project.contents import shipped_file
from crivo.records.history import read_history
from crivo.records.ledger import TIMES, add, entry
from crivo.records.noted import remark
from crivo.repository.git import open_repository
from tests.crivo.evaluation.report.test_branches import one_sided
from tests.crivo.experiments.repository import Project, about, record_of
from tests.crivo.experiments.test_text import crowd
from tests.crivo.experiments.tried import GOOD, MAIN

__all__ = ["crowd"]


def test_the_page_shows_what_it_should(crowd: Project) -> None:
    """`board.html` has it without styles, scripts and libraries, and its values in lines."""
    remark("scaled", "star", "", folder=crowd.folder)
    times = entry(TIMES, "bad", {"fit": 3.5, "predict": 0.25})
    add(open_repository(crowd.folder), times)
    history = read_history(crowd.folder)
    plots, found = shipped_file(".dvc/plots/offline.html"), compare(folder=crowd.folder)
    page = board_page(found, history, plots)
    page = re.sub(r"<!--.*?-->|<style>.*?</style>", "", page, flags=re.DOTALL)
    shown, values = re.split(r'<script type="application/json" id="values">|</script>', page)[:2]
    told = json.dumps(json.loads(values), indent=1, ensure_ascii=False)
    text = re.sub(r"[0-9a-f]{40}", "HASH", f"{shown}{told}\n")
    assert text == Path(__file__).with_name("board.html").read_text(encoding="utf-8")


def test_every_branch_of_the_page_is_rendered(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.commit(MAIN)
    project.trial("boosting-learning_rate=0.05", GOOD)
    project.trial("good", {**GOOD, "note": "1"}, author="", message="Slower")
    project.trial("same", MAIN)
    project.trial("none", {**MAIN, "note": "1"})
    project.trial("data", {**GOOD, **about(GOOD, rows="r2")})
    plots = shipped_file(".dvc/plots/offline.html")
    with one_sided(monkeypatch) as never:
        for names in ("", "main", "data", "good", "same", "same none", "good same"):
            history = read_history(project.folder)
            found = compare(names.split(), against="main", history=history)
            board_page(found, history, plots)
    assert never == []


CURVES = {
    "roc": ("false_positive_rate", "true_positive_rate", "ROC curve"),
    "precision_recall": ("recall", "precision", "Precision and recall"),
    "calibration": ("mean_score", "observed_rate", "Predicted and actual"),
    "value_curve": ("threshold", "value_per_1000", "Value over thresholds"),
    "learning": ("iteration", "loss", "Held-out loss while learning"),
}


def test_curves_are_drawn_in_the_words_of_their_task(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, (x, y, _) in CURVES.items():
        (project.folder / name).write_text(f"{x},other,{y}\n-1,0,2\n-inf,0,1\n0.123456,0,\n2,3,4\n")
    monkeypatch.setattr(Cache, "listing", lambda *_: {f"{name}.csv": name for name in CURVES})
    monkeypatch.setattr(Cache, "place", lambda _, name: project.folder / name)
    plots = {"evaluate": {"outs": [{"path": "metrics/evaluation/plots", "md5": "1"}]}}
    told = {**GOOD, **about(GOOD, task="regression"), "dvc.lock": json.dumps({"stages": plots})}
    project.commit(MAIN)
    repository = read_history(project.folder).repository
    lost = told | {"dvc.lock": MAIN["dvc.lock"]}
    found, without = curves_of(repository, {0: record_of(told), 1: record_of(lost)})
    words = CURVES | {"calibration": ("mean prediction", "mean target", "Predicted and actual")}
    assert without == 1
    assert found == [
        {"name": name, "x": x, "y": y, "title": title, "of": {"0": [[-1, 2], [2, 4]]}}
        for name, (x, y, title) in words.items()
    ]
