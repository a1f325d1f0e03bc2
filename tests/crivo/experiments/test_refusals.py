"""Requests that can't be meant, or can't be met here: one sentence, and status 1."""

import json
import re
from contextlib import chdir, nullcontext
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.trials.trial import BudgetUsedUp
from crivo.trials.worker import TrialFailed
from tests.crivo.cli import invoke
from tests.crivo.experiments.repository import OTHER_WAY, Project, evaluated, settings
from tests.crivo.experiments.tried import GOOD, OTHER, TEST, names
from tests.crivo.settings import SETTINGS

NAMES = ("good", "even", "near", "part", "data", "opened")
# Each request with what is printed, in one line.
REFUSED = re.findall(
    r"^\$ crivo (.*)\n(.*)\n",
    Path(__file__).with_name("refused.txt").read_text("utf-8"),
    re.MULTILINE,
)
VERDICTS = [
    ("good", "better", 0), ("even", "undecided", 2), ("near", "equivalent", 1),
    ("main", "identical", 1), ("opened", "refused", 3),
]  # fmt: skip
ERRORS = [
    (TrialFailed("It failed."), "failed", False),
    (CrivoError("Not that."), "refused", False),
    (BudgetUsedUp("No more."), "refused", True),
    (ValueError("odd"), "refused", False),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project with main and six trials; nothing that is refused changes it."""
    project = Project(tmp_path_factory.mktemp("refusing"))
    own = settings(evaluators__standard__margin=0.001)
    project.commit(evaluated(0.70, log_loss=0.40, settings=own))
    project.git("reset", "--quiet", "--hard")
    near = evaluated(0.70, 1e-5, OTHER_WAY, log_loss=0.4)
    part = evaluated(0.9, settings=settings(train__fraction=0.5))
    opened = evaluated(0.7, settings=TEST, split="test")
    files = (GOOD, OTHER, near, part, evaluated(1, rows="r2"), opened)
    for name, one in zip(NAMES, files, strict=True):
        project.trial(name, one)
    (project.folder / "t.csv").write_text("id,order,score\na,b,x\n")
    (project.folder / "params.yaml").write_text(SETTINGS)
    for path in ("odd.py", "blocks/metrics/f1.py", "blocks/checks/mine.py"):
        (project.folder / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / "src" / path).touch()
    return project.folder


@pytest.mark.parametrize(("command", "said"), REFUSED, ids=[one for one, _ in REFUSED])
def test_what_is_refused_is_said_in_a_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, said: str
) -> None:
    monkeypatch.setattr("crivo.trials.trial.local_engine", lambda *_: nullcontext())
    with chdir(folder):
        done = invoke(*command.split())
    assert done.exit_code == 1
    printed = re.sub(r"\b[0-9a-f]{32}\b", "HASH", done.output.replace(str(folder), "FOLDER"))
    assert " ".join(printed.split()) == said
    assert names(folder) == {*NAMES}


@pytest.mark.parametrize(("name", "outcome", "status"), VERDICTS)
def test_the_exit_status_of_a_trial_is_its_verdict(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, outcome: str, status: int
) -> None:
    monkeypatch.setattr("crivo.trials.trial.try_settings", lambda *_, **__: name)
    with chdir(folder):
        done = invoke("try", "--json", "seed=2")
    said = json.loads(done.stdout)
    found = (said["outcome"], said["experiment"], said["stop"], done.exit_code)
    assert found == (outcome, name, False, status)
    assert (outcome == "refused") == str(said["error"]).endswith("main on the rows of opened")


@pytest.mark.parametrize(("error", "outcome", "stop"), ERRORS)
def test_a_program_is_told_why_there_is_no_trial(
    monkeypatch: pytest.MonkeyPatch, error: Exception, outcome: str, stop: bool
) -> None:
    def raises(*_: object, **__: object) -> str:
        print("what a stage says")
        raise error

    monkeypatch.setattr("crivo.trials.trial.try_settings", raises)
    done = invoke("try", "--json", "seed=2")
    said = json.loads(done.stdout)
    assert (said["outcome"], said["stop"], done.exit_code) == (outcome, stop, 3)
    assert str(error) in said["error"]
    assert ("Traceback" in done.stderr) == isinstance(error, ValueError)


def test_outside_of_a_project_nothing_is_fetched(tmp_path: Path) -> None:
    with chdir(tmp_path):
        done = invoke("fetch")
        Path("params.yaml").touch()
        assert invoke("fetch").output == "There was nothing new to fetch.\n"
    assert (done.exit_code, "There is no params.yaml here" in done.output) == (1, True)
