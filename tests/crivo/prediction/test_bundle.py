"""One file scores raw rows: equal models give equal files, and a damaged one is refused."""

import hashlib
import json
import re
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.preprocessing import StandardScaler

from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.evaluation.thresholds import NOTHING
from crivo.modelfile.canonical import save_model
from crivo.prediction.bundle import export_predictor, load_predictor, named
from crivo.prediction.fitted import Fitted, Isolated
from crivo.prediction.predictor import Predictor
from crivo.testing import TASKS, check_predictor, example_rows
from tests.crivo.modelfile.crafted import archive
from tests.crivo.prediction.trained import lock

Trained = Callable[..., Path]
NO_STAGES = "schema: '2.0'\nstages: {}\n"


@pytest.fixture
def project(trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trained project of one's own, to be spoilt."""
    monkeypatch.syspath_prepend(tmp_path / "project/src")
    return Path(shutil.copytree(trained(), tmp_path / "project"))


def load_known(source: Path) -> Predictor:
    """Load a folder, or a file whose hash is known: it needs no process of its own."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest() if source.is_file() else None
    return load_predictor(source, sha256=digest)


@pytest.mark.parametrize(
    "task", [one if one == "binary" else pytest.param(one, marks=pytest.mark.slow) for one in TASKS]
)
def test_the_file_predicts_what_the_project_predicts(
    trained: Trained, tmp_path: Path, task: Task
) -> None:
    """In a process of its own, or in this one where the caller knows the file."""
    file, rows = tmp_path / "model.zip", example_rows(task, seed=3)
    version = export_predictor(file, trained(task))
    whole = load_predictor(trained(task))
    foreign = load_predictor(file)
    check_predictor(foreign)
    ours = load_known(file)
    assert isinstance(whole.fitted, Fitted)
    assert isinstance(ours.fitted, Fitted)
    assert isinstance(foreign.fitted, Isolated)
    for predictor in (ours, foreign):
        found = predictor.predict(rows)
        pd.testing.assert_frame_equal(found, whole.predict(rows), check_exact=True)
        assert named(predictor) == f"{version}, fitted on training rows"


def test_a_file_with_another_hash_is_refused(trained: Trained, tmp_path: Path) -> None:
    export_predictor(tmp_path / "model.zip", trained())
    with pytest.raises(CrivoError, match=r"has the SHA-256 [0-9a-f]{64}, but 'ab' was expected"):
        load_predictor(tmp_path / "model.zip", sha256="ab")
    with pytest.raises(CrivoError, match="is a folder; sha256 is the hash of a file"):
        load_predictor(trained(), sha256="ab")


@pytest.mark.slow
def test_a_model_that_is_not_the_locked_one_or_whose_code_runs_elsewhere_is_not_believed(
    project: Path, tmp_path: Path
) -> None:
    foreign = shutil.copytree(project, tmp_path / "foreign")
    assert isinstance(load_predictor(foreign).fitted, Isolated)
    rows, before = example_rows(), load_predictor(project)
    (project / "dvc.lock").write_text(NO_STAGES)
    found = load_predictor(project)
    assert isinstance(found.fitted, Isolated)
    pd.testing.assert_frame_equal(found.predict(rows), before.predict(rows))


@pytest.mark.parametrize("alone", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_unknown_category_is_warned_of_from_either_process(
    project: Path, alone: bool, caplog: pytest.LogCaptureFixture
) -> None:
    if alone:
        (project / "dvc.lock").write_text(NO_STAGES)
    load_predictor(project).predict(example_rows(rows=4).assign(kind=["nowhere", "a", "b", "c"]))
    assert caplog.messages == [
        "In 1 of 4 rows, kind has a value that the model doesn't know, such as 'nowhere'; it "
        "counts as missing."
    ]


def test_a_threshold_that_was_chosen_goes_with_the_model(project: Path, tmp_path: Path) -> None:
    before = load_predictor(project)
    assert re.fullmatch("[0-9a-f]{12}", before.version)
    threshold = project / "metrics/evaluation/threshold.json"
    threshold.parent.mkdir(parents=True)
    threshold.write_text('{"threshold": 0.25}')
    export_predictor(tmp_path / "model.zip", project)
    after = load_known(tmp_path / "model.zip")
    assert (before.threshold, after.threshold) == (None, 0.25)
    assert before.version != after.version
    answer = after.predict(example_rows())
    assert answer["prediction"].tolist() == (answer["score"] >= 0.25).tolist()
    for text, expected in (("null", None), ("1.0", 1.0)):
        threshold.write_text(f'{{"threshold": {text}}}')
        assert load_predictor(project).threshold == expected
    threshold.write_text(json.dumps({"threshold": NOTHING}))  # no score reaches it
    assert not load_predictor(project).predict(example_rows())["prediction"].any()


THRESHOLD, SCHEMA = "metrics/evaluation/threshold.json", "data/prepared/schema.json"
BAD = [
    "{}",
    "half",
    "[" * 10**5,
    *(f'{{"threshold": {x}}}' for x in ("NaN", "-0.5", "1.5", "true")),
]


@pytest.mark.parametrize(
    ("part", "text", "words"),
    [
        *((THRESHOLD, text, "threshold.json of .* make it again with") for text in BAD),
        (SCHEMA, '{"task": "guessing", "columns": []}', "schema.json of .* make it again with"),
        (SCHEMA, "{", "schema.json of .* make it again with"),
        (SCHEMA, None, "schema.json of .* doesn't exist yet; run `dvc repro`"),
        ("models/model.skops", None, "model.skops of .* doesn't exist yet; run `dvc repro`"),
    ],
)
def test_a_part_that_is_missing_or_broken_is_named(
    project: Path, part: str, text: str | None, words: str
) -> None:
    (project / part).parent.mkdir(parents=True, exist_ok=True)
    (project / part).write_text(text or "")
    if text is None:
        (project / part).unlink()
    with pytest.raises(CrivoError, match=words):
        load_predictor(project)


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"version.json": b"[" * 10**5},
        {"version.json": b'{"files": {}, "packages": []}', "model.skops": b" " * 100_000_000},
        {"version.json": b'{"files": {}, "packages": "none"}'},
    ],
)
def test_an_archive_of_something_else_is_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    file = tmp_path / "model.zip"
    file.write_bytes(archive(members))
    with pytest.raises(CrivoError, match=r"isn't a file that `crivo export` wrote"):
        load_predictor(file)


@pytest.mark.parametrize(
    ("part", "thing", "words"),
    [
        ("model", StandardScaler(), "The model refuses rows .*no attribute 'predict'"),
        ("featurizer", 3.5, "The featurizer refuses rows .*no attribute 'transform'"),
        ("model", DummyClassifier().fit([[0], [1]], ["a", "b"]), "predicts a, b, which aren't"),
    ],
)
@pytest.mark.parametrize("known", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_what_is_no_part_of_the_model_is_refused(
    project: Path, part: str, thing: object, words: str, known: bool
) -> None:
    save_model(project / f"models/{part}.skops", thing)
    if known:
        lock(project)
    with pytest.raises(CrivoError, match=words):
        load_predictor(project).predict(example_rows())


def test_other_versions_of_packages_are_warned_of(
    trained: Trained, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    whole, older = tmp_path / "model.zip", tmp_path / "older.zip"
    export_predictor(whole, trained())
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(older, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "version.json":
                about = json.loads(data)
                assert data.decode() == json.dumps(about, indent=2, sort_keys=True) + "\n"
                assert about["packages"]["python"] == "{}.{}".format(*sys.version_info)
                about["packages"]["scikit-learn"] = "0.1"
                data = json.dumps(about).encode()
            target.writestr(name, data)
    load_known(older)
    assert f"was made with scikit-learn 0.1 (here {sklearn.__version__}); " in caplog.text
