"""A new trial: its name, its duplicate, and settings that would change nothing."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from ruamel.yaml import YAML

from crivo.core.errors import CrivoError
from crivo.core.params import read_yaml
from crivo.core.parsing import parse_yaml
from crivo.records.history import History, read_history
from crivo.trials import trial
from crivo.trials.trial import plan_trial, try_settings
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


Ran = list[tuple[str, list[str], str]]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    """Give the experiments that would have been run: name, changes and message."""
    runs: Ran = []

    def submit(name: str, changes: Sequence[str], message: str, *, live: bool) -> Future[str]:
        runs.append((name, [*changes], message))
        future: Future[str] = Future()
        future.set_result(f"refs/exps/ab/cd/{name}")
        return future

    @contextmanager
    def engine(history: History, workers: int) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(submit=submit)

    monkeypatch.setattr(trial, "local_engine", engine)
    return runs


def test_the_workspace_s_own_changes_are_in_the_name(started: Project) -> None:
    path = started.folder / "params.yaml"
    changed = read_yaml(path)
    changed["models"]["boosting"]["max_iter"] = 50
    YAML().dump(changed, path)
    plan = plan_trial(read_history(started.folder), ["seed=14"])
    assert plan.name == "boosting-seed=14-max_iter=50"


def test_other_code_makes_no_duplicate(started: Project, ran: Ran) -> None:
    (started.folder / "src/train.py").write_text("other code\n")
    made = try_settings([f"seed={PARAMS['seed']}"], folder=started.folder)
    assert made == "boosting-code=train"


def test_code_that_no_stage_reads_makes_no_difference(started: Project, ran: Ran) -> None:
    (started.folder / "README").write_text("other words\n")
    with pytest.raises(CrivoError, match="already"):
        try_settings([f"seed={PARAMS['seed']}"], folder=started.folder)


def test_code_that_git_does_not_know_is_not_tried_without_a_word(
    started: Project, ran: Ran
) -> None:
    (started.folder / "src/train.py").write_text("import helper\n")
    (started.folder / "src/helper.py").write_text("new\n")
    with pytest.raises(CrivoError, match=r"git doesn't know src/helper.py.*git add"):
        try_settings(message="Help", folder=started.folder)
    started.git("add", "src/helper.py")
    assert try_settings(message="Help", folder=started.folder)
