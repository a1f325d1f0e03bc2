"""Files that a user names are never written over what is an input, or kept by git or DVC."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from crivo.cli import main
from crivo.commands import evaluation, prediction
from crivo.core.errors import CrivoError
from crivo.testing import example_rows
from crivo.testing.examples import example_predictions
from tests.crivo.prediction.trained import train

TRACKED = "outs:\n- md5: d41d8cd98f00b204e9800998ecf8427e\n  hash: md5\n  path: {name}\n"
STAGES = "stages:\n  make:\n    cmd: 'true'\n    outs: [made.csv, folder.csv]\n"

Run = Callable[..., str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project with a model, raw rows, and files that git and DVC keep; don't change it."""
    folder = train(tmp_path_factory.mktemp("made"), "binary", "linear")
    rows = example_rows(rows=3)
    (folder / "data/raw/flights").mkdir(parents=True)
    for name in ("rows.csv", "data/raw/flights/raw.csv", "in-git.csv", "in-dvc.csv", "there.csv"):
        rows.to_csv(folder / name, index=False)
    rows.to_csv(folder / "made.csv", index=False)
    (folder / "folder.csv").mkdir()
    example_predictions("regression").to_csv(folder / "theirs.csv", index=False)
    (folder / "in-dvc.csv.dvc").write_text(TRACKED.format(name="in-dvc.csv"))
    (folder / "data/raw/flights.dvc").write_text(TRACKED.format(name="flights"))
    (folder / "dvc.yaml").write_text(STAGES)
    (folder / ".dvc").mkdir()
    (folder / ".dvc/config").touch()
    shutil.copytree(folder / "models", folder / "result/errors")
    (folder / "result/metrics.json").write_text("{}")
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "in-git.csv", "result/metrics.json"], check=True)
    (folder / "to-rows.csv").symlink_to("rows.csv")
    (folder / "hard-rows.csv").hardlink_to(folder / "rows.csv")
    (folder / "to-raw.csv").symlink_to("data/raw/flights/raw.csv")
    (folder / "to-data").symlink_to("data")
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a copy of the project."""
    folder = tmp_path / "project"
    shutil.copytree(made, folder, symlinks=True)
    (folder / "hard-rows.csv").unlink()
    (folder / "hard-rows.csv").hardlink_to(folder / "rows.csv")
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> str:
    """Run a command and return what it printed; an error is raised."""
    app = typer.Typer()
    prediction.register(app)
    evaluation.register(app)
    result = CliRunner().invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def state(folder: Path) -> dict[str, bytes]:
    """Return every file's content; what DVC notes for itself doesn't matter."""
    files = [path for path in folder.rglob("*") if path.is_file() and ".dvc" not in path.parts]
    return {str(path): path.read_bytes() for path in files}


COMMANDS = pytest.mark.parametrize(
    "command",
    [("predict", "rows.csv", "-o"), ("export",)],
    ids=lambda command: command[0],
)
KEPT = {
    "in-git.csv": "git keeps",
    "in-dvc.csv": "DVC keeps",
    "made.csv": "DVC keeps",
    "data/raw/flights/raw.csv": "raw data",
    "data/raw/flights/new.csv": "raw data",
    "data/raw/new.csv": "raw data",
    "to-raw.csv": "raw data",
    "to-data/raw/flights/raw.csv": "raw data",
    ".git/new.csv": "belongs to git",
    ".dvc/new.csv": "belongs to DVC",
    "folder.csv": "DVC keeps",
    "models": "isn't a regular file",
}


@COMMANDS
@pytest.mark.parametrize(("place", "words"), KEPT.items())
def test_what_is_kept_is_never_written_over(
    project: Path, command: tuple[str, ...], place: str, words: str
) -> None:
    if command[0] == "predict" and place == "models":
        place = "other.csv"
        Path(place).mkdir()
    before = state(project)
    with pytest.raises(CrivoError, match=words):
        run(*command, place, "--force")
    assert state(project) == before


@pytest.mark.parametrize("place", ["rows.csv", "./rows.csv", "to-rows.csv", "hard-rows.csv"])
def test_an_input_is_never_written_over(project: Path, place: str) -> None:
    before = state(project)
    with pytest.raises(CrivoError, match="is an input"):
        run("predict", "rows.csv", "-o", place, "--force")
    assert state(project) == before


@pytest.mark.parametrize("part", ["models/model.skops", "data/prepared/schema.json"])
def test_a_part_of_the_model_is_an_input_of_its_export(project: Path, part: str) -> None:
    before = state(project)
    Path("link.zip").hardlink_to(part)
    for place in (part, "link.zip"):
        with pytest.raises(CrivoError, match="is an input"):
            run("export", place, "--force")
    Path("link.zip").unlink()
    assert state(project) == before


def test_a_model_is_an_input_of_its_predictions(project: Path) -> None:
    run("export", "model.csv")
    with pytest.raises(CrivoError, match="is an input"):
        run("predict", "rows.csv", "--model", "model.csv", "-o", "model.csv", "--force")


@COMMANDS
def test_another_file_is_replaced_only_when_told_to(
    project: Path, command: tuple[str, ...]
) -> None:
    before = state(project)
    with pytest.raises(CrivoError, match=r"there\.csv already exists; --force replaces it"):
        run(*command, "there.csv")
    assert state(project) == before
    run(*command, "there.csv", "--force")
    assert state(project).keys() == before.keys()
    assert state(project) != before


@COMMANDS
def test_a_link_to_another_file_is_replaced_and_the_file_stays(
    project: Path, command: tuple[str, ...]
) -> None:
    before = Path("there.csv").read_bytes()
    Path("link.csv").symlink_to("there.csv")
    with pytest.raises(CrivoError, match="--force"):
        run(*command, "link.csv")
    run(*command, "link.csv", "--force")
    assert not Path("link.csv").is_symlink()
    assert Path("there.csv").read_bytes() == before


@COMMANDS
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_file_is_not_replaced(project: Path, command: tuple[str, ...]) -> None:
    os.mkfifo("pipe.csv")
    with pytest.raises(CrivoError, match="isn't a regular file"):
        run(*command, "pipe.csv", "--force")
    assert Path("pipe.csv").is_fifo()


def test_another_project_is_protected_as_well(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    for place in ("in-git.csv", "in-dvc.csv", "data/raw/new.csv"):
        with pytest.raises(CrivoError, match="keeps|raw data"):
            run("predict", str(project / "rows.csv"), "--model", str(project), "-o",
                str(project / place), "--force")  # fmt: skip


def test_a_project_without_git_is_protected_and_served(project: Path) -> None:
    shutil.rmtree(".git")
    with pytest.raises(CrivoError, match="DVC keeps"):
        run("export", "in-dvc.csv", "--force")
    run("export", "model.zip")


def test_where_dvc_cannot_say_what_it_keeps_nothing_is_written(project: Path) -> None:
    Path("dvc.yaml").write_text("stages: [")
    with pytest.raises(CrivoError, match="DVC can't say what it tracks"):
        run("export", "model.zip")
    assert not Path("model.zip").exists()


EVALUATE = ("evaluate", "--predictions", "theirs.csv", "-o")


def test_a_result_that_is_there_is_replaced_only_when_told_to(project: Path) -> None:
    run(*EVALUATE, "evaluated")
    before = state(project)
    with pytest.raises(CrivoError, match=r"evaluated/.* already exists; --force replaces"):
        run(*EVALUATE, "evaluated")
    assert state(project) == before
    run(*EVALUATE, "evaluated", "--force")


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("result", "git keeps"),
        ("data/raw/flights", "raw data"),
        ("theirs.csv", "theirs.csv isn't a folder"),
    ],
)
def test_a_result_is_never_written_over_what_is_kept(
    project: Path, folder: str, words: str
) -> None:
    before = state(project)
    with pytest.raises(CrivoError, match=words):
        run(*EVALUATE, folder, "--force")
    assert state(project) == before


LONG = "x" * 5000


@COMMANDS
@pytest.mark.parametrize("place", ["rows.csv/out.csv", f"{LONG}.csv", f"{'x/' * 2500}out.csv"])
def test_a_place_that_cannot_be_is_one_sentence(
    project: Path, command: tuple[str, ...], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(project)
    monkeypatch.setattr(sys, "argv", ["crivo", *command, place])
    with pytest.raises(SystemExit) as ended:
        main()
    assert str(ended.value.code).startswith("crivo: ")
    assert len(str(ended.value.code)) < 300
    assert state(project) == before
