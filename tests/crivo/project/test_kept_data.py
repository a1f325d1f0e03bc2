"""Raw data on the disk that nothing records are never replaced without a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.crivo.pipeline.project import Project

from crivo.core.errors import CrivoError
from crivo.project.fetch import FILES, fetch_flights, fetch_raw
from crivo.project.init import init_table
from crivo.project.request import Request

TABLE = "data/raw/table"
OLD, NEW = "x,y\n1,a\n2,b\n", "x,y\n1,a\n2,b\n3,a\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Give a project of git's and DVC's that records a table, and whose cache holds it."""
    project = Project(tmp_path / "project")
    (project.folder / TABLE).mkdir(parents=True)
    project.git("init", "--quiet", "--initial-branch", "main")
    project.dvc("init", "--quiet")
    project.write(f"{TABLE}/rows.csv", OLD)
    project.dvc("add", "--quiet", TABLE)
    project.commit("Record the table")
    return project


def put(project: Project, text: str, name: str = "rows.csv") -> None:
    """Write a raw file, which DVC may have made a read-only link."""
    (project.folder / TABLE / name).unlink(missing_ok=True)
    project.write(f"{TABLE}/{name}", text)


@pytest.mark.parametrize("name", ["rows.csv", "march.csv"])
def test_new_data_stay_and_both_ways_on_are_said(project: Project, name: str) -> None:
    put(project, NEW, name)
    with pytest.raises(CrivoError) as refused:
        fetch_raw(project.folder)
    assert project.read(f"{TABLE}/{name}") == NEW
    said = str(refused.value).replace(f"{project.folder}/", "")
    assert name in said
    keep, back = "dvc add data/raw/table", "dvc checkout --force data/raw/table.dvc"
    assert f"`{keep}`" in said
    assert f"`{back}`" in said
    project.run(*keep.split())
    fetch_raw(project.folder)
    assert project.read(f"{TABLE}/{name}") == NEW
    project.git("checkout", "--quiet", "data/raw/table.dvc")
    project.run(*back.split())
    assert project.read(f"{TABLE}/rows.csv") == OLD


def test_data_that_a_commit_records_make_room_for_newer_ones(project: Project) -> None:
    """As after a `git pull`: the colleague's record is newer than the files."""
    put(project, NEW)
    project.dvc("add", "--quiet", TABLE)
    project.commit("Add a row")
    project.git("checkout", "--quiet", "HEAD~1", "--", "data/raw/table.dvc")
    fetch_raw(project.folder)
    assert project.read(f"{TABLE}/rows.csv") == OLD


def test_what_is_missing_is_brought(project: Project) -> None:
    (project.folder / TABLE / "rows.csv").unlink()
    fetch_raw(project.folder)
    assert project.read(f"{TABLE}/rows.csv") == OLD


def test_a_file_that_does_not_count_changes_nothing(project: Project) -> None:
    project.write(".dvcignore", "*.tmp\n")
    project.write(f"{TABLE}/notes.tmp", "mine")
    (project.folder / TABLE / "rows.csv").unlink()
    fetch_raw(project.folder)
    assert project.read(f"{TABLE}/rows.csv") == OLD
    assert project.read(f"{TABLE}/notes.tmp") == "mine"


def test_another_table_replaces_only_what_is_recorded(project: Project, tmp_path: Path) -> None:
    project.write("dvc.yaml", "stages: {}\n")
    project.write("params.yaml", "{}\n")
    put(project, NEW)
    (tmp_path / "other.csv").write_text(OLD)
    with pytest.raises(CrivoError, match="was not replaced. To keep it, `dvc add"):
        init_table(project.folder, tmp_path / "other.csv", Request("y"), force=True)
    assert project.read(f"{TABLE}/rows.csv") == NEW


def test_changed_flights_are_replaced_only_by_their_own_command(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    (tmp_path / "data/raw").mkdir(parents=True)
    (tmp_path / "data/raw/flights.dvc").write_bytes((root / "data/raw/flights.dvc").read_bytes())
    fetch_raw(tmp_path)
    planes = tmp_path / "data/raw/flights/planes.csv"
    planes.unlink()
    planes.write_text("mine")
    with pytest.raises(CrivoError, match=r"planes\.csv changed.*`crivo fetch flights`"):
        fetch_raw(tmp_path)
    assert planes.read_text() == "mine"
    fetch_flights(tmp_path)
    assert planes.read_text() != "mine"
    assert {path.name for path in planes.parent.iterdir()} == {*FILES}
