"""Files that a user names are never written over inputs, raw data, or what git keeps."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from crivo.commands.prediction import evaluate, export, predict
from crivo.core.errors import CrivoError
from crivo.testing import example_rows
from crivo.testing.examples import example_predictions
from tests.crivo.experiments.test_external import PLAIN
from tests.crivo.prediction.trained import train

PREDICT = ("predict", "rows.csv", "-o")
EXPORT = ("export",)
EVALUATE = ("evaluate", "--predictions", "theirs.csv", "-o")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project with a model and raw rows; don't change it."""
    folder = train(tmp_path_factory.mktemp("made"), "binary", "linear")
    rows = example_rows(rows=3)
    (folder / "data/raw/flights").mkdir(parents=True)
    for name in ("rows.csv", "data/raw/flights/raw.csv", "in-git.csv"):
        rows.to_csv(folder / name, index=False)
    example_predictions("binary").to_csv(folder / "theirs.csv", index=False)
    (folder / "params.yaml").write_text(PLAIN)
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "in-git.csv"], check=True)
    (folder / "to-rows.csv").symlink_to("rows.csv")
    (folder / "to-data").symlink_to("data")
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a copy of the project."""
    folder = tmp_path / "project"
    shutil.copytree(made, folder, symlinks=True)
    (folder / "hard-rows.csv").hardlink_to(folder / "rows.csv")
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> str:
    """Run a command and return what it printed; an error is raised."""
    app = typer.Typer()
    for command in (predict, export, evaluate):
        app.command()(command)
    result = CliRunner().invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def state(folder: Path) -> dict[str, bytes]:
    """Return every file's content."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("command", "place", "words"),
    [
        (EXPORT, "in-git.csv", "kept by git"),
        (EXPORT, ".git/new.csv", "kept by git"),
        (PREDICT, "in-git.csv", "kept by git"),
        (EXPORT, "data/raw/new.csv", "raw data"),
        (EXPORT, "to-data/raw/new.csv", "raw data"),
        (EXPORT, "models/model.skops", "is an input"),
        (EVALUATE, "data/raw/flights", "raw data"),
        (EVALUATE, "theirs.csv", "theirs.csv isn't a folder"),
    ],
)
def test_what_is_kept_is_never_written_over(
    project: Path, command: tuple[str, ...], place: str, words: str
) -> None:
    before = state(project)
    with pytest.raises(CrivoError, match=words):
        run(*command, place, "--force")
    assert state(project) == before


@pytest.mark.parametrize("place", ["./rows.csv", "to-rows.csv", "hard-rows.csv"])
def test_an_input_is_never_written_over(project: Path, place: str) -> None:
    before = state(project)
    with pytest.raises(CrivoError, match="is an input"):
        run(*PREDICT, place, "--force")
    assert state(project) == before


def test_a_result_that_is_there_is_replaced_only_when_told_to(project: Path) -> None:
    run(*EVALUATE, "evaluated")
    before = state(project)
    with pytest.raises(CrivoError, match=r"evaluated/.* already exists; --force replaces"):
        run(*EVALUATE, "evaluated")
    assert state(project) == before
    run(*EVALUATE, "evaluated", "--force")
