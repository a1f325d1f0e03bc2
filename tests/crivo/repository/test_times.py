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


def test_what_is_timed_is_noted_where_a_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "times.jsonl"
    with timed("fit", 4):
        pass
    monkeypatch.setenv(TIMES, str(place))
    with timed("predict", 4):
        pass
    (line,) = map(json.loads, place.read_text().splitlines())
    assert (line["what"], line["rows"]) == ("predict", 4)
    assert line["seconds"] >= 0


def test_predicting_is_measured_by_row_on_the_first_rows(tmp_path: Path) -> None:
    place = tmp_path / "times.jsonl"
    noted = [("fit", 3.0, 100), ("predict", 2.0, 50), ("predict", 9.0, 50)]
    lines = [dict(zip(("what", "seconds", "rows"), one, strict=True)) for one in noted]
    place.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert read_measured(place) == {"fit": 3.0, "predict": 0.04}
    assert not place.exists()


def test_times_are_kept_by_model_the_first_ones_stay_and_no_lock_ends_a_trial(
    project: Project,
) -> None:
    project.commit({"a": "b"})
    home = open_repository(project.folder)
    # Another process that ends a trial with the same model holds the reference for a moment.
    lock = home.place(KEPT_TIMES) / f"{MODEL}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    keep_times(home, {MODEL: {"fit": 3.0}})
    assert kept_times(home) == {}
    lock.unlink()
    keep_times(home, {MODEL: {"fit": 3.0}})
    keep_times(home, {MODEL: {"fit": 4.0, "predict": 0.5}, OTHER: {"predict": 0.1}})
    project.git("update-ref", f"{KEPT_TIMES}/broken", home.write_blob("{"))
    assert kept_times(home) == {MODEL: {"fit": 3.0, "predict": 0.5}, OTHER: {"predict": 0.1}}
