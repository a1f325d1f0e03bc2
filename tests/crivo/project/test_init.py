"""`crivo init` brings a file whole, or leaves everything as it was."""

import subprocess
from pathlib import Path

import pytest
import typer
from tests.crivo import forked
from tests.crivo.pipeline.project import environment
from tests.crivo.settings import SETTINGS
from typer.testing import CliRunner

from crivo.commands import init
from crivo.core.errors import CrivoError
from crivo.core.params import read_params
from crivo.project import place
from crivo.project.init import init_table
from crivo.project.request import Request

# So few that no models are compared by cross-validation, which takes most of the time.
CSV = "a,b,y\n" + "".join(f"{i},{'uvw'[i % 3]},{'no' if i % 3 else 'yes'}\n" for i in range(81))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that looks like a project, with DVC's and git's part left out."""
    folder = tmp_path / "project"
    (folder / ".dvc").mkdir(parents=True)
    (folder / "dvc.yaml").write_text("stages: {}\n")
    (folder / "params.yaml").write_text(SETTINGS)
    monkeypatch.setattr(place, "track", lambda project: None)
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "my rows.csv"
    path.write_text(CSV)
    return path


def state(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_file_is_copied_and_the_settings_are_written(project: Path, source: Path) -> None:
    plan = init_table(project, source, Request("y"))
    assert (project / "data/raw/table/my rows.csv").read_text() == CSV
    assert source.read_text() == CSV
    params = read_params(project / "params.yaml")
    assert (params.dataset, params.splitter, params.featurizer) == (
        "table",
        "at_random",
        "tabular",
    )
    table = params.block("dataset")
    assert (table.target, table.task, table.positive) == ("y", "binary", "yes")
    assert "target    y: binary, no 66.7 %, yes 33.3 %; positive is yes" in plan.found
    assert "split     at_random: 48 train, 17 valid, 16 test rows" in plan.found


def test_a_folder_of_files_is_brought_as_it_is(project: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "more").mkdir(parents=True)
    (source / "one.csv").write_text(CSV)
    (source / "more/two.csv").write_text(CSV.replace("0,", "7,"))
    init_table(project, source, Request("y"))
    found = sorted(path.name for path in (project / "data/raw/table").rglob("*.csv"))
    assert found == ["one.csv", "two.csv"]


@pytest.mark.parametrize(
    ("name", "text", "request_", "message"),
    [
        ("rows.csv", CSV, Request("z"), "names the column 'z'"),
        ("rows.csv", "a,y\n1,0\n2,0\n", Request("y"), "has 1 class"),
        ("rows.csv", "a,y\n1,0\n2,1\n", Request("y"), "There are 2 rows that can be used"),
        ("rows.csv", "", Request("y"), "is empty"),
        ("rows.csv", "a,y\n", Request("y"), "hold no rows"),
        ("rows.docx", "", Request("y"), r"rows\.docx isn't a table that can be read"),
    ],
)
def test_a_file_that_can_not_be_used_changes_nothing(
    project: Path, tmp_path: Path, name: str, text: str, request_: Request, message: str
) -> None:
    source = tmp_path / name
    source.write_text(text)
    before = state(project)
    with pytest.raises(CrivoError, match=message):
        init_table(project, source, request_)
    assert state(project) == before


def test_another_table_is_replaced_only_when_told_to(project: Path, source: Path) -> None:
    init_table(project, source, Request("y"))
    other = source.with_name("other.csv")
    other.write_text(CSV.replace("yes", "maybe"))
    with pytest.raises(CrivoError, match="already exists; --force replaces it"):
        init_table(project, other, Request("y"))
    init_table(project, other, Request("y"), force=True)
    assert [path.name for path in (project / "data/raw/table").iterdir()] == ["other.csv"]


def test_a_replacement_that_is_broken_off_leaves_the_table_that_was_there(
    project: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init_table(project, source, Request("y"))
    before, rename = state(project), Path.rename
    source.write_text(CSV.replace("u", "x"))

    def stop_before_the_new(path: Path, target: Path) -> Path:
        if path.name.endswith(".part"):
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", stop_before_the_new)
    with pytest.raises(KeyboardInterrupt):
        init_table(project, source, Request("y"), force=True)
    assert state(project) == before


def test_the_table_that_is_there_can_be_described_anew(project: Path, source: Path) -> None:
    init_table(project, source, Request("y"))
    there = project / "data/raw/table/my rows.csv"
    init_table(project, there, Request("b", drop=("y",)), force=True)
    assert there.read_text() == CSV
    assert read_params(project / "params.yaml").block("dataset").task == "multiclass"


def test_a_folder_that_is_no_project_is_said_to_be_none(tmp_path: Path, source: Path) -> None:
    with pytest.raises(CrivoError, match=r"There is no dvc\.yaml here"):
        init_table(tmp_path, source, Request("y"))


def test_a_file_that_is_not_there_is_named(project: Path) -> None:
    with pytest.raises(CrivoError, match=r"There is no file nowhere\.csv"):
        init_table(project, Path("nowhere.csv"), Request("y"))


def test_each_table_starts_from_the_shipped_settings(project: Path, source: Path) -> None:
    small = init_table(project, source, Request("y"))
    few = small.settings["models.boosting.max_iter"]
    assert few in (50, 100)
    large = source.with_name("large.csv")
    large.write_text("a,y\n" + "".join(f"{i % 89},{abs(i % 89 - 44)}\n" for i in range(1, 2000)))
    plan = init_table(project, large, Request("y"), force=True)
    params = read_params(project / "params.yaml")
    assert params.block("model").max_iter == 200
    assert params.block("model").early_stopping == 20
    assert any(
        line.startswith(f"models.boosting.max_iter: 200, was {few}") and "as crivo ships it" in line
        for line in plan.changes
    )


def test_nothing_is_said_of_flights_where_there_are_none(project: Path, source: Path) -> None:
    init_table(project, source, Request("y"))
    assert "flight" not in (project / "params.yaml").read_text().lower()


def test_the_command_says_what_it_found_and_what_to_run(
    project: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    app = typer.Typer()
    init.register(app)
    result = CliRunner().invoke(app, ["init", str(source), "--target", "y", "--drop", "b"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("my rows.csv:\n  81 rows, 1 features\n")
    assert "Look at this first:\n  - There are 81 rows" in result.output
    assert result.output.endswith("Now run: dvc repro\n")
    with pytest.raises(CrivoError, match="--task is 'ranking'; expected one of binary"):
        CliRunner().invoke(
            app,
            ["init", str(source), "--target", "y", "--task", "ranking"],
            catch_exceptions=False,
        )


def test_dvc_and_git_track_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forked.fork_what_crivo_starts(monkeypatch)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    assert not forked.run(["dvc", "init", "--quiet"], tmp_path, environment()).returncode
    (tmp_path / "data/raw/table").mkdir(parents=True)
    (tmp_path / "data/raw/table/rows.csv").write_text(CSV)
    place.track(tmp_path)
    listed = subprocess.run(
        ["git", "ls-files", "data"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.split()
    assert listed == ["data/raw/.gitignore", "data/raw/table.dvc"]
    assert not place.recorded_before(tmp_path)


def test_a_command_that_fails_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match=r"`.*dvc add data/raw/table` failed: "):
        place.track(tmp_path)
