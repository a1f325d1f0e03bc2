"""`dvc repro` runs what changed and nothing else, and gives the same bytes every time."""

import json

import pytest

from tests.crivo.faults.killing import kill, start
from tests.crivo.pipeline.project import Project

STAGES = ("prepare", "featurize", "train", "evaluate")


def ran(printed: str) -> list[str]:
    """Return the stages that DVC says it ran."""
    return [stage for stage in STAGES if f"Running stage '{stage}'" in printed]


def test_the_pipeline_leaves_what_it_promises(reproduced: Project) -> None:
    metrics = json.loads(reproduced.read("metrics/evaluation/metrics.json"))
    for name in ("roc_auc", "average_precision", "log_loss", "brier", "precision_at_share"):
        assert metrics[f"{name}_low"] <= metrics[name] <= metrics[f"{name}_high"]
        assert f"baseline_{name}" in metrics
    data = json.loads(reproduced.read("metrics/data/metrics.json"))
    assert data["rows_in"] == data["rows_out"] + data["rows_quarantined"]
    about = json.loads(reproduced.read("metrics/evaluation/evaluation.json"))
    assert about["split"] == "valid"
    assert about["environment"] == "locked"


def test_what_changed_runs_and_nothing_else(project: Project) -> None:
    """Trials with another model or split, below, run two stages or one."""
    project.replace("params.yaml", "history: true", "history: false")
    assert ran(project.dvc("repro")) == ["featurize", "train", "evaluate"]


def test_what_no_stage_uses_runs_nothing(project: Project) -> None:
    """A setting and the code of a model that is not chosen, a limit, a page."""
    project.replace("params.yaml", "\nlimits:\n", "\nlimits:\n  brier_high:\n    at_most: 0.2\n")
    project.replace("params.yaml", "trees: 5", "trees: 6")
    project.replace("src/blocks/models/forest.py", "A random forest", "Another forest")
    project.replace("README.md", "# crivo", "# Crivo")
    assert ran(project.dvc("repro")) == []


@pytest.mark.plain_path
def test_a_trial_runs_its_own_code_with_another_model(project: Project) -> None:
    """The trial's checkout has the changed code; the workspace is put back while it runs."""
    project.replace(
        "src/train.py", "    run.save(", "    print('MARKED prior fitted')\n    run.save("
    )
    printed = project.dvc("exp", "run", "--temp", "--name", "try-prior", "-S", "model=prior")
    assert ran(printed) == ["train", "evaluate"]
    assert "MARKED prior fitted" in printed
    shown = json.loads(project.dvc("exp", "show", "--json"))
    (trial,) = [e["revs"][0] for e in shown[1]["experiments"]]
    assert trial["name"] == "try-prior"
    assert trial["data"]["params"]["params.yaml"]["data"]["model"] == "prior"
    assert project.status() == " M src/train.py\n"


def test_a_trial_in_the_workspace_works_too(project: Project) -> None:
    printed = project.dvc("exp", "run", "--name", "here", "-S", "evaluate.split=test")
    assert ran(printed) == ["evaluate"]
    assert "split: test" in project.read("params.yaml")


def test_a_killed_run_is_repeated_to_the_same_bytes(project: Project) -> None:
    running = start(["dvc", "repro", "--force"], project.folder, project.folder.parent)
    kill(running, 4, child=False)
    project.dvc("repro")
    assert project.status() == ""
