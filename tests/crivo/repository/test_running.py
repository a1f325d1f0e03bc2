"""A command of DVC's that another process of DVC's keeps waiting."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from dvc.repo import Repo

from crivo.repository.running import run_dvc
from tests.crivo.experiments.repository import Project
from tests.crivo.forked import fork_what_crivo_starts


@pytest.mark.pipeline
def test_a_lock_that_is_held_for_longer_than_dvc_waits_itself_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork_what_crivo_starts(monkeypatch)
    project = Project(tmp_path / "project")
    run_dvc(["init", "--quiet"], project.folder)
    (project.folder / "data.csv").write_text("1\n")
    done = []
    with Repo(str(project.folder)) as repo, repo.lock:
        waiting = threading.Thread(
            target=lambda: done.append(run_dvc(["add", "--quiet", "data.csv"], project.folder))
        )
        waiting.start()
        time.sleep(4)
    waiting.join(60)
    assert done[0].returncode == 0, done[0].stderr
    assert (project.folder / "data.csv.dvc").exists()
