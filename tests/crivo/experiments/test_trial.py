"""A new trial: its name, its duplicate, and settings that would change nothing."""

import json

import pytest
from ruamel.yaml import YAML

from crivo.core.params import read_yaml
from crivo.core.parsing import parse_yaml
from crivo.records.history import read_history
from crivo.trials.trial import plan_trial
from tests.crivo.experiments.repository import Project, evaluation_files, spread
from tests.crivo.settings import SETTINGS

PARAMS = parse_yaml(SETTINGS)
MAIN = evaluation_files({"roc_auc": spread(0.7)}, settings=PARAMS)


def with_inputs(files: dict[str, str], **more: str) -> dict[str, str]:
    """Return the files with a lock that names the code the stages read."""
    lock = json.loads(files["dvc.lock"])
    lock["stages"]["train"] = {"deps": [{"path": "src/train.py", "md5": "1"},
                                        {"path": "data/prepared/x", "md5": "2"}]}  # fmt: skip
    return {**files, "dvc.lock": json.dumps(lock), "src/train.py": "code\n", **more}


@pytest.fixture
def started(project: Project) -> Project:
    """Give a repository at a committed evaluation, with its files checked out."""
    project.commit(with_inputs(MAIN))
    project.git("reset", "--quiet", "--hard")
    return project


def test_the_workspace_s_own_changes_are_in_the_name(started: Project) -> None:
    path = started.folder / "params.yaml"
    changed = read_yaml(path)
    changed["models"]["boosting"]["max_iter"] = 50
    YAML().dump(changed, path)
    plan = plan_trial(read_history(started.folder), ["seed=14"])
    assert plan.name == "boosting-seed=14-max_iter=50"


def test_other_code_is_no_duplicate_and_in_the_name(started: Project) -> None:
    same = [f"seed={PARAMS['seed']}"]
    known = plan_trial(read_history(started.folder), same).duplicate
    assert known is not None
    assert known.name == "main"
    (started.folder / "README").write_text("words that no stage reads\n")
    assert plan_trial(read_history(started.folder), same).duplicate
    (started.folder / "src/train.py").write_text("other code\n")
    plan = plan_trial(read_history(started.folder), same)
    assert (plan.name, plan.duplicate) == ("boosting-code=train", None)
