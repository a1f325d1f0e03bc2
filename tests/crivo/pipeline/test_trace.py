"""`crivo trace` tells where a file comes from, and what an experiment is made of."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.provenance import trace
from tests.crivo.made_once import plain_folder
from tests.crivo.pipeline.project import Project
from tests.crivo.provenance.toy import plant

MODEL = "models/model.skops"
METRICS = "metrics/evaluation/metrics.json"


@pytest.fixture(scope="module")
def made(finished_toy: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project with an experiment, and a commit after it; don't change it."""
    project = Project(plain_folder(tmp_path_factory) / "toy")
    shutil.copytree(finished_toy.folder, project.folder, symlinks=True)
    run = ["exp", "run", "--quiet", "--temp", "--name", "seven", "-S", "seed=7"]
    project.dvc(*run, "--message", "Seven is lucky")
    plant(project, "value += 1")
    project.dvc("repro", "--quiet")
    project.commit("Add one")
    return project


@pytest.fixture
def toy(made: Project, tmp_path: Path) -> Project:
    """Give a copy of the project to do anything with."""
    shutil.copytree(made.folder, tmp_path / "toy", symlinks=True)
    return Project(tmp_path / "toy")


def md5(content: str) -> str:
    return hashlib.md5(content.encode()).hexdigest()


def revision(toy: Project, name: str) -> str:
    return toy.git("rev-parse", name).strip()


def test_a_model_is_traced_to_the_commit_that_made_it(made: Project) -> None:
    found = trace(MODEL, made.folder)
    assert found.output is not None
    assert (found.output.path, found.output.md5, found.role) == (
        MODEL,
        md5("1.51"),  # the number in the data, a hundredth of the seed, one
        "made by train",
    )
    source = found.source
    assert (source.kind, source.revision) == ("commit", revision(made, "HEAD"))
    assert (source.author, source.message) == ("Tester", "Add one")
    assert found.data == {"data/raw/numbers.txt": md5("0.5\n")}
    assert found.settings == {"seed": 1}
    assert found.changed == ("code src/train.py changed",)
    assert set(found.code) == {"src/prepare.py", "src/train.py"}
    assert found.environment == {"requirements.txt": md5("")}
    assert (found.current, found.in_workspace, found.also) == (True, True, ())


def test_an_experiment_s_model_is_traced_by_its_hash(made: Project) -> None:
    digest = md5(repr(0.5 + 0.07))
    for what in (digest, digest[:6]):
        found = trace(what, made.folder)
        assert (found.source.name, found.source.kind) == ("seven", "experiment")
    assert found.source.message == "Seven is lucky"
    assert found.source.parent == revision(made, "HEAD~1")
    assert found.settings == {"seed": 7}
    assert found.changed == ("setting seed: 1 → 7",)
    assert (found.current, found.in_workspace) == (False, False)


def test_a_file_from_elsewhere_is_traced_by_its_bytes(made: Project, tmp_path: Path) -> None:
    (tmp_path / "model-from-a-mail").write_text(repr(0.5 + 0.07))
    found = trace(str(tmp_path / "model-from-a-mail"), made.folder)
    assert found.source.name == "seven"


def test_an_exported_predictor_is_traced_by_the_model_in_it(
    reproduced: Project, tmp_path: Path
) -> None:
    reproduced.run("crivo", "export", str(tmp_path / "late.zip"))
    found = trace(str(tmp_path / "late.zip"), reproduced.folder)
    assert found.output is not None
    assert found.output.path == MODEL
    assert found.source.message == "Run the pipeline"


def test_an_output_is_held_by_what_kept_it_too(made: Project) -> None:
    found = trace("data/prepared/rows.txt", made.folder)
    assert found.source.revision == revision(made, "HEAD~1")
    assert [one.name for one in found.also] == ["seven", "main"]


def test_a_file_that_is_not_here_is_traced_as_head_records_it(toy: Project) -> None:
    (toy.folder / MODEL).unlink()
    found = trace(MODEL, toy.folder)
    assert (found.source.message, found.in_workspace) == ("Add one", False)


def test_raw_data_are_traced_to_those_who_read_them(made: Project) -> None:
    found = trace("data/raw/numbers.txt", made.folder)
    assert found.role == "read by prepare"
    assert [one.name for one in found.also] == ["seven", "main"]


def test_the_commands_make_the_same_bytes_again(toy: Project) -> None:
    wanted = md5(repr(0.5 + 0.07))
    commands = trace(wanted, toy.folder).commands
    assert toy.run("sh", "-c", commands[0]).startswith("Identical bytes")
    shutil.rmtree(toy.folder / "models")
    toy.run("sh", "-c", commands[1])
    assert md5(toy.read(MODEL)) == wanted


def test_an_edited_file_says_what_to_do(toy: Project) -> None:
    toy.write(MODEL, "0.99")
    printed = toy.run("crivo", "trace", MODEL, fails=True)
    assert (
        f"{MODEL} (md5 {md5('0.99')}) isn't in any commit or experiment of this clone: it was "
        in (printed)
    )
    assert f"`dvc checkout --force {MODEL}`" in printed
    assert "Traceback" not in printed
    toy.dvc("checkout", "--force", MODEL)
    assert trace(MODEL, toy.folder).in_workspace


def test_an_unsaved_run_says_what_to_do(toy: Project) -> None:
    toy.replace("params.yaml", "seed: 1", "seed: 9")
    toy.dvc("repro", "--quiet")
    with pytest.raises(
        CrivoError, match="a run in this workspace that isn't saved; `dvc exp save`"
    ):
        trace(MODEL, toy.folder)
    toy.dvc("exp", "save", "--name", "kept")
    assert trace(MODEL, toy.folder).source.name == "kept"


def test_an_experiment_lists_its_files_and_where_they_are(toy: Project) -> None:
    digest = md5(repr(0.5 + 0.07))
    (toy.folder / f".dvc/cache/files/md5/{digest[:2]}/{digest[2:]}").unlink()
    found = trace("seven", toy.folder)
    assert found.output is None
    assert [(one.path, one.stage, one.size, one.kept) for one in found.files] == [
        ("data/prepared/rows.txt", "prepare", 4, "cache"),
        (MODEL, "train", len(repr(0.5 + 0.07)), "missing"),
        (METRICS, "evaluate", len('{"roc_auc": 0.57, "verdict": "better"}'), "git"),
    ]


def test_a_commit_is_traced_as_it_is_and_an_older_one_by_its_own_code(made: Project) -> None:
    assert trace("HEAD", made.folder).current
    older = trace("HEAD~1", made.folder)
    assert (older.current, older.source.message) == (False, "Start")
    assert older.commands[0] == f"crivo verify {revision(made, 'HEAD~1')[:7]}"
