"""The values on the board: those of the comparison and the slices, with short labels."""

import json
import re
from typing import Any

import pytest

from crivo.comparison.board.page import board_page, curves_of
from crivo.comparison.compare import compare
from crivo.core.cache import Cache
from crivo.core.results import as_json
from crivo.project.contents import shipped_file
from crivo.records.history import read_history
from tests.crivo.evaluation.report.test_branches import one_sided
from tests.crivo.experiments.repository import Project, about, record_of
from tests.crivo.experiments.tried import GOOD, MAIN

SLICES = """slice,kind,rows,roc_auc,roc_auc_low,roc_auc_high,verdict
origin = JFK,column,5,.65,.6,.7,worse
"""


def made(project: Project, *names: str) -> tuple[dict[str, Any], Any]:
    """Return the document of a comparison, and the values in its page."""
    history = read_history(project.folder)
    comparison = compare(names, against="main", folder=project.folder, history=history)
    page = board_page(comparison, history, shipped_file(".dvc/plots/offline.html"))
    values = re.findall(r'<script type="application/json" id="values">(.*?)</script>', page)
    return json.loads(as_json("compare", comparison)), json.loads(values[0] if values else "{}")


def test_the_values_are_the_document_of_compare_with_settings_and_slices(project: Project) -> None:
    project.commit({**MAIN, "metrics/evaluation/slices.csv": SLICES})
    project.trial("boosting-learning_rate=0.05", GOOD)
    told, values = made(project)
    own = values.pop("experiments")
    for one, experiment in zip(own, told.pop("experiments"), strict=True):
        assert one.items() >= experiment.items()
    assert [one["label"] for one in own] == ["learning_rate=0.05", "main"]
    assert values.items() >= told.items()
    (setting,) = values["settings"]
    assert (setting["name"], setting["of"]) == ("learning_rate", [0.05, 0.1])
    assert values["slices"]["roc_auc"] == {"origin = JFK": {"1": [0.65, 0.6, 0.7]}}
    assert (values["curves"], values["in_full"]) == ([], [0, 1])


def test_every_branch_of_the_page_is_rendered(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.commit(MAIN)
    project.trial("boosting-learning_rate=0.05", GOOD)
    project.trial("good", {**GOOD, "note": "1"}, author="", message="Slower")
    project.trial("same", MAIN)
    project.trial("none", {**MAIN, "note": "1"})
    project.trial("data", {**GOOD, **about(GOOD, rows="r2")})
    with one_sided(monkeypatch) as never:
        for names in ("", "main", "data", "good", "same", "same none", "good same"):
            made(project, *names.split())
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
