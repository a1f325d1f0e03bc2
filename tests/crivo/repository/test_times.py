"""How long models took: what stages note, by what stages note."""

import json
from pathlib import Path

import pytest

from crivo.repository.trial_run import read_measured
from crivo.runtime.timing import TIMES, timed


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
