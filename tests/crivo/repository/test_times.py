"""How long models took: what stages note, and what git keeps of it."""

import json
from pathlib import Path

import pytest

from crivo.repository.git import open_repository
from crivo.repository.kept import TIMES as KEPT_TIMES
from crivo.repository.kept import keep_times, kept_times, read_measured
from crivo.runtime.timing import TIMES, timed
from tests.crivo.experiments.repository import Project

MODEL, OTHER = "a" * 32, "b" * 32


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "times.jsonl"


def note(place: Path, *lines: object) -> None:
    place.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_what_is_timed_is_noted_where_a_file_is_named(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with timed("fit", 4):
        pass
    monkeypatch.setenv(TIMES, str(place))
    with timed("predict", 4):
        pass
    (line,) = map(json.loads, place.read_text().splitlines())
    assert (line["what"], line["rows"]) == ("predict", 4)
    assert line["seconds"] >= 0


def test_predicting_is_measured_by_row_on_the_first_rows(place: Path) -> None:
    note(
        place,
        {"what": "fit", "seconds": 3.0, "rows": 100},
        {"what": "predict", "seconds": 2.0, "rows": 50},
        {"what": "predict", "seconds": 9.0, "rows": 50},
    )
    assert read_measured(place) == {"fit": 3.0, "predict": 0.04}
    assert not place.exists()


def test_times_are_kept_by_model_and_the_first_ones_stay(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    project.commit({"a": "b"})
    home = open_repository(project.folder)
    keep_times(home, {MODEL: {"fit": 3.0}})
    keep_times(home, {MODEL: {"fit": 4.0, "predict": 0.5}, OTHER: {"predict": 0.1}})
    project.git("update-ref", f"{KEPT_TIMES}/broken", home.write_blob("{"))
    assert kept_times(home) == {MODEL: {"fit": 3.0, "predict": 0.5}, OTHER: {"predict": 0.1}}


def test_times_that_git_can_not_keep_now_do_not_end_a_trial(tmp_path: Path) -> None:
    """Another process that ends a trial with the same model holds the reference for a moment."""
    project = Project(tmp_path / "project")
    project.commit({"a": "b"})
    home = open_repository(project.folder)
    lock = home.place(KEPT_TIMES) / f"{MODEL}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    keep_times(home, {MODEL: {"fit": 3.0}})
    assert kept_times(home) == {}
    lock.unlink()
    keep_times(home, {MODEL: {"fit": 3.0}})
    assert kept_times(home) == {MODEL: {"fit": 3.0}}
