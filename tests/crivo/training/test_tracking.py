"""What dvclive records of a training, and what it leaves alone."""

import json
import sys
from pathlib import Path

import pytest
from dvclive import Live

from crivo.training.measure import log_iteration
from crivo.training.tracking import tracker


def test_it_writes_what_dvclive_writes_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where there is no repository, and without looking at one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DVC_STUDIO_OFFLINE", "1")
    plain = Live("plain", dvcyaml=None, save_dvc_exp=False, report=None)
    with plain, tracker(Path("ours")) as ours:
        for live in (plain, ours):
            for loss in (0.5, 0.25):
                log_iteration(live)({"train_loss": loss})
            live.log_metric("baseline_train_loss", 0.75, plot=False)
    one, other = (
        {file.relative_to(name): file.read_bytes() for file in Path(name).rglob("*.*")}
        for name in ("plain", "ours")
    )
    assert one == other
    assert json.loads(other[Path("metrics.json")])["train_loss"] == 0.25


def test_it_opens_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "dvc.repo", None)  # importing it fails
    with tracker(Path("metrics")) as live:
        live.log_metric("loss", 0.5)
    assert Path("metrics/metrics.json").exists()


def test_what_was_logged_is_not_read_again_at_each_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For DVC Studio, which nobody has asked for."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DVC_STUDIO_OFFLINE", "1")

    def read(live: Live) -> None:
        raise AssertionError("all rows were read")

    monkeypatch.setattr(Live, "_get_live_data", read)
    with tracker(Path("metrics")) as live:
        for loss in (0.5, 0.25):
            log_iteration(live)({"train_loss": loss})
    assert Path("metrics/plots/metrics/train_loss.tsv").read_text().count("\n") == 3
