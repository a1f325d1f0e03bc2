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
from crivo.records.noted import remark
from tests.crivo.evaluation.report.test_branches import one_sided
from tests.crivo.experiments.repository import Project, about, record_of
from tests.crivo.experiments.test_text import crowd
from tests.crivo.experiments.tried import GOOD, MAIN

__all__ = ["crowd"]


def test_the_page_shows_what_it_should(crowd: Project) -> None:
    """`board.html` has it without styles, scripts and libraries, and its values in lines."""
    remark("scaled", "star", folder=crowd.folder)
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


def test_a_calibration_is_called_by_the_words_of_its_task(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.folder / "bins").write_text("mean_score,observed_rate\n-1,2\n")
    monkeypatch.setattr(Cache, "listing", lambda *_: {"calibration.csv": "bins"})
    monkeypatch.setattr(Cache, "place", lambda *_: project.folder / "bins")
    record = record_of({**GOOD, **about(GOOD, task="regression")})
    project.commit(MAIN)
    (found,), _ = curves_of(read_history(project.folder).repository, {0: record})
    names = "Predicted and actual", "mean prediction", "mean target"
    assert (found["title"], found["x"], found["y"]) == names
