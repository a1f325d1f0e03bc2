"""The values on the board: those of the comparison and the slices, with short labels."""

import json
import re
from typing import Any

from crivo.comparison.board.page import board_page
from crivo.comparison.compare import compare
from crivo.core.results import as_json
from crivo.project.contents import shipped_file
from crivo.records.history import read_history
from tests.crivo.experiments.repository import Project, about
from tests.crivo.experiments.tried import GOOD, MAIN

SLICES = """slice,kind,rows,roc_auc,roc_auc_low,roc_auc_high,verdict
origin = JFK,column,5,.65,.6,.7,worse
"""


def made(project: Project, *names: str) -> tuple[dict[str, Any], Any]:
    """Return the document of a comparison, and the values in its page."""
    history = read_history(project.folder)
    comparison = compare(names, folder=project.folder, history=history)
    page = board_page(comparison, history, shipped_file(".dvc/plots/offline.html"))
    (text,) = re.findall(r'<script type="application/json" id="values">(.*?)</script>', page)
    return json.loads(as_json("compare", comparison)), json.loads(text)


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


def test_a_page_is_made_without_trials_and_with_refused_ones(project: Project) -> None:
    project.commit({**MAIN})
    assert made(project)[1]["experiments"][0]["name"] == "main"
    project.trial("data", {**GOOD, **about(GOOD, rows="r2")})
    told, values = made(project, "main", "data")
    assert values["refused"] == told["refused"]
    assert values["refused"][0]["name"] == "data"
