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
from crivo.trials.trial import free_name, plan_trial, try_settings, with_changes
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


def test_a_trial_is_named_after_what_it_changes(started: Project, ran: Ran) -> None:
    changes = ["models.boosting.learning_rate=0.05"]
    assert try_settings(changes, message="Slower", folder=started.folder) == (
        "boosting-learning_rate=0.05"
    )
    assert ran == [("boosting-learning_rate=0.05", changes, "Slower\n\nCrivo-Kind: trial")]


def test_the_workspace_s_own_changes_are_in_the_name(started: Project) -> None:
    path = started.folder / "params.yaml"
    changed = read_yaml(path)
    changed["models"]["boosting"]["max_iter"] = 50
    YAML().dump(changed, path)
    plan = plan_trial(read_history(started.folder), ["seed=14"])
    assert plan.name == "boosting-seed=14-max_iter=50"


def test_the_same_settings_are_recognised(started: Project, ran: Ran) -> None:
    settings = json.loads(json.dumps(PARAMS, default=str))
    settings["models"]["boosting"]["learning_rate"] = 0.05
    files = evaluation_files({"roc_auc": spread(0.72)}, settings=settings)
    started.trial("slow", with_inputs(files))
    with pytest.raises(CrivoError, match="slow has these settings and this code already"):
        try_settings(["models.boosting.learning_rate=0.05"], folder=started.folder)
    assert ran == []
    made = try_settings(["models.boosting.learning_rate=0.05"], again=True, folder=started.folder)
    assert made == "boosting-learning_rate=0.05"


def test_a_change_of_nothing_is_what_main_has_already(started: Project, ran: Ran) -> None:
    with pytest.raises(CrivoError, match="main has these settings and this code already"):
        try_settings([f"seed={PARAMS['seed']}"], folder=started.folder)


def test_other_code_makes_no_duplicate(started: Project, ran: Ran) -> None:
    (started.folder / "src/train.py").write_text("other code\n")
    made = try_settings([f"seed={PARAMS['seed']}"], folder=started.folder)
    assert made == "boosting-code=train"


def test_code_that_no_stage_reads_makes_no_difference(started: Project, ran: Ran) -> None:
    (started.folder / "README").write_text("other words\n")
    with pytest.raises(CrivoError, match="already"):
        try_settings([f"seed={PARAMS['seed']}"], folder=started.folder)


def test_a_setting_that_no_chosen_block_reads_is_refused(started: Project, ran: Ran) -> None:
    with pytest.raises(CrivoError, match=r"reads models.forest.trees, .*choose its block"):
        try_settings(["models.forest.trees=500"], folder=started.folder)
    assert try_settings(["model=forest", "models.forest.trees=500"], folder=started.folder) == (
        "forest-trees=500"
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            "modle=forest",
            r"^modle: params.yaml has no such setting; did you mean `model`\? \(sett",
        ),
        (
            "models.boosting.learning_rte=1",
            r"models.boosting.learning_rte: params.yaml has no such setting; did you mean "
            r"`learning_rate`\? \(settings here: .*max_iter",
        ),
        ("modles.boosting.max_iter=3", r"^modles: .*did you mean `models`"),
        ("~models.forest.tres", r"^models.forest.tres: .*did you mean `trees`"),
        (
            "min_samples_leaf=3",
            r"did you mean `models.boosting.min_samples_leaf` or `models.for",
        ),
        ("boosting.max_iter=3", r"did you mean `models.boosting.max_iter`\?"),
        ("model.trees=3", "model.trees: model is 'boosting' in params.yaml, no section"),
        ("models.boosting.zzz=3", r"To add a setting that a block knows: \+models.boosting.zzz=3"),
        ("models.boosting=3", "models.boosting: is 3; expected settings"),
        ("models.boosting.max_iter=many", "params.yaml: models.boosting.max_iter: is 'many', but"),
        ("seed", "'seed' can't be applied to params.yaml: .*missing EQUAL.*Expected key=value"),
        ("model=f(x)", "a value with brackets, commas or spaces needs quotes of its own"),
        ("seed=1,2", "names several values; a trial has one"),
        ("model=forrest", "there is no model 'forrest'; did you mean `forest`"),
        ("models.boosting.learning_rate=-1", "params.yaml: models.boosting.learning_rate"),
    ],
)
def test_a_wrong_setting_is_one_clear_sentence(
    started: Project, ran: Ran, change: str, sentence: str
) -> None:
    with pytest.raises(CrivoError, match=sentence):
        try_settings([change], folder=started.folder)
    assert ran == []


def test_a_setting_that_is_given_twice_is_refused(started: Project, ran: Ran) -> None:
    with pytest.raises(CrivoError, match="seed is given twice; a trial has one value"):
        try_settings(["seed=1", "seed=2"], folder=started.folder)
    assert ran == []


def test_the_settings_file_is_left_alone(started: Project) -> None:
    path = started.folder / "params.yaml"
    before = path.read_bytes()
    assert with_changes(path, ["seed=99"])["seed"] == 99
    assert path.read_bytes() == before


def test_a_name_that_is_taken_gets_a_number(started: Project) -> None:
    started.trial("slow", MAIN)
    started.trial("slow-2", MAIN)
    history = read_history(started.folder)
    assert free_name(history, "slow") == "slow-3"
    assert free_name(history, "fast") == "fast"
    assert free_name(history, "slow", parent="elsewhere") == "slow"


def test_changed_code_alone_is_tried_with_its_hypothesis(started: Project, ran: Ran) -> None:
    (started.folder / "src/train.py").write_text("other code\n")
    made = try_settings(message="Simpler is as good", folder=started.folder)
    assert ran == [(made, [], "Simpler is as good\n\nCrivo-Kind: trial")]
    assert made == "boosting-code=train"


@pytest.mark.parametrize("message", ["", " "])
def test_changed_code_alone_needs_a_hypothesis(started: Project, ran: Ran, message: str) -> None:
    (started.folder / "src/train.py").write_text("other code\n")
    with pytest.raises(CrivoError, match=r"changes src/train.py, but no setting; say why .*--mes"):
        try_settings(message=message, folder=started.folder)
    assert ran == []


def test_edited_settings_are_tried_without_naming_them(started: Project, ran: Ran) -> None:
    path = started.folder / "params.yaml"
    changed = read_yaml(path)
    changed["models"]["boosting"]["max_iter"] = 50
    YAML().dump(changed, path)
    assert try_settings(folder=started.folder) == "boosting-max_iter=50"


def test_a_workspace_without_any_change_is_nothing_to_try(started: Project, ran: Ran) -> None:
    with pytest.raises(CrivoError, match="Nothing to try: main has the settings and the code"):
        try_settings(message="Why not", folder=started.folder)
    assert ran == []


def test_a_block_that_git_does_not_know_is_not_tried(started: Project, ran: Ran) -> None:
    for name in ("forest", "prior"):
        path = started.folder / f"src/blocks/models/{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("new\n")
    with pytest.raises(CrivoError, match=r"git doesn't know src/blocks/models/forest.py, and"):
        try_settings(["model=forest", "baseline=forest"], folder=started.folder)
    assert ran == []


def test_code_that_git_does_not_know_is_not_tried_without_a_word(
    started: Project, ran: Ran
) -> None:
    (started.folder / "src/train.py").write_text("import helper\n")
    (started.folder / "src/helper.py").write_text("new\n")
    with pytest.raises(CrivoError, match=r"git doesn't know src/helper.py.*git add"):
        try_settings(message="Help", folder=started.folder)
    started.git("add", "src/helper.py")
    assert try_settings(message="Help", folder=started.folder)


def test_a_trial_that_fails_is_told_from_one_that_is_refused(
    started: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def engine(history: History, workers: int) -> Iterator[SimpleNamespace]:
        raise CrivoError("the stage train failed.")
        yield

    monkeypatch.setattr(trial, "local_engine", engine)
    with pytest.raises(trial.TrialFailed, match="the stage train failed"):
        try_settings(["seed=14"], folder=started.folder)
    with pytest.raises(CrivoError) as refused:
        try_settings(["seed=13"], folder=started.folder)
    assert not isinstance(refused.value, trial.TrialFailed)
