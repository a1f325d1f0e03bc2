"""The record of a fit: the files that dvclive would write, byte by byte."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from crivo.training.tracking import tracker


def recorded(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_course_and_the_last_value_of_each_metric_are_kept(tmp_path: Path) -> None:
    with tracker(tmp_path / "train") as live:
        for loss in (0.5, 0.25):
            live.log_metric("watched_loss", loss)
            live.next_step()
        live.log_metric("train_loss", 0.125)
        live.log_metric("baseline_train_loss", 1.5, plot=False)
        live.next_step()
    assert recorded(tmp_path / "train") == {
        "plots/metrics/watched_loss.tsv": b"step\twatched_loss\n0\t0.5\n1\t0.25\n",
        "plots/metrics/train_loss.tsv": b"step\ttrain_loss\n2\t0.125\n",
        "metrics.json": (
            b'{\n    "watched_loss": 0.25,\n    "step": 2,\n    "train_loss": 0.125,\n'
            b'    "baseline_train_loss": 1.5\n}\n'
        ),
    }


def test_older_courses_go(tmp_path: Path) -> None:
    for name in ("old", "new"):
        with tracker(tmp_path) as live:
            live.log_metric(name, 1.0)
    assert [path.name for path in tmp_path.rglob("*.tsv")] == ["new.tsv"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_finite_is_text_so_that_the_summary_stays_json(
    tmp_path: Path, value: float
) -> None:
    with tracker(tmp_path) as live:
        live.log_metric("loss", value)
    text = (tmp_path / "metrics.json").read_text()
    assert json.loads(text, parse_constant=pytest.fail) == {"loss": str(value)}


def test_a_name_with_a_slash_is_a_group(tmp_path: Path) -> None:
    with tracker(tmp_path) as live:
        live.log_metric("watched/loss", 0.5)
        live.log_metric("watched/error", 0.25)
    assert json.loads((tmp_path / "metrics.json").read_text()) == {
        "watched": {"loss": 0.5, "error": 0.25}
    }
    assert (tmp_path / "plots/metrics/watched/loss.tsv").read_text() == "step\tloss\n0\t0.5\n"


def test_nothing_of_dvc_is_imported() -> None:
    code = (
        "import sys, crivo.training.tracking; sys.exit(bool({'dvc', 'dvclive'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
