"""Workers with caches of their own, which share nothing but a DVC remote."""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crivo.core.errors import CrivoError
from crivo.experiments.engine.choice import engine_of
from crivo.experiments.engine.remote import RemoteEngine
from crivo.experiments.engine.state import record_state, workspace_state
from crivo.experiments.history import read_history
from crivo.provenance.elsewhere import verify_there
from crivo.repository.cache import Cache
from crivo.repository.recorded_hashes import recorded_hashes
from crivo.repository.remote_files import Address
from tests.crivo.experiments.engine.conftest import PATIENCE, RATE, RATES, trees
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.toy import run_dvc

pytestmark = pytest.mark.pipeline


@pytest.fixture
def storage(toy: Project, tmp_path: Path) -> Path:
    """Give the folder of the toy's DVC remote, which it has on this machine only."""
    folder = tmp_path / "storage"
    config = f"['remote \"storage\"']\n    url = {folder}\n"
    (toy.folder / ".dvc/config.local").write_text(config)
    return folder


@contextmanager
def workers(project: Project, executor: Executor, **changed: Any) -> Iterator[RemoteEngine]:
    history = read_history(project.folder)
    with (
        workspace_state(history, "storage") as state,
        RemoteEngine(history.repository, replace(state, **changed), executor, 2) as engine,
    ):
        yield engine


def stored(folder: Path) -> set[str]:
    """Return the hashes of the files in a remote's folder."""
    return {one.parent.name + one.name for one in folder.rglob("*") if one.is_file()}


def test_processes_that_share_only_a_remote_make_the_same_experiments(
    toy: Project, storage: Path, local_trees: dict[str, str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))  # of the processes
    pool = ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))
    some = {name: RATES[name] for name in ("rate-2", "rate-3", "rate-4")}
    assert trees(toy, workers(toy, pool), some) == {name: local_trees[name] for name in some}
    left = list(temporary.glob("crivo-*"))
    assert not left, "a worker leaves its copy of the project, or its cache"

    repository, cache = read_history(toy.folder).repository, Cache(toy.folder)
    refs = toy.git("for-each-ref", "--format=%(refname)", "refs/exps").splitlines()
    made = {one for ref in refs for one in recorded_hashes(repository, ref)}
    new = made - set(recorded_hashes(repository, "HEAD"))
    # A model, predictions and two small tables of each trial.
    assert len(new) == 3 * 4
    assert new <= stored(storage)
    assert not any(cache.has(one) for one in new), "the driver has files that it didn't make"
    # Only what DVC keeps is left there: no state of the driver's.
    before = set(recorded_hashes(repository, "HEAD"))
    listed = {md5 for one in before for md5 in (cache.listing(one) or {}).values()}
    assert stored(storage) <= made | before | listed

    run_dvc(toy, "exp", "pull", "--remote", "storage", ".", "rate-2")
    run_dvc(toy, "exp", "apply", "rate-2")
    assert (toy.folder / "models/model.skops").read_text().startswith("0.2")
    run_dvc(toy, "status", "--quiet")


def test_a_result_is_made_again_where_only_the_remote_is(toy: Project, storage: Path) -> None:
    history = read_history(toy.folder)
    record = history.find("HEAD")
    with (
        record_state(history, record, "storage") as state,
        RemoteEngine(history.repository, state, ThreadPoolExecutor(1), 1) as engine,
    ):
        result = engine.call("it", verify_there, record.origin.revision).result(PATIENCE)
    assert result.outcome == "identical", result


def test_what_only_dvc_can_run_reaches_the_remote_too(toy: Project, storage: Path) -> None:
    run_dvc(toy, "config", "core.autostage", "true")
    with workers(toy, ThreadPoolExecutor(1)) as engine:
        ref = engine.submit("rate", [f"{RATE}=0.4"]).result(PATIENCE)
    repository = read_history(toy.folder).repository
    new = set(recorded_hashes(repository, ref)) - set(recorded_hashes(repository, "HEAD"))
    # A model and predictions; the small tables are git's.
    assert len(new & stored(storage)) == 2


def test_a_remote_that_a_worker_does_not_reach_is_one_sentence(toy: Project, storage: Path) -> None:
    nowhere = Address("storage", (("url", "/nowhere/at/all"),))
    with (
        pytest.raises(
            CrivoError, match=r"remote storage \(/nowhere/at/all\) can't be used.*run it"
        ),
        workers(toy, ThreadPoolExecutor(1), remote=nowhere) as engine,
    ):
        engine.submit("rate", [f"{RATE}=0.3"]).result(PATIENCE)


def test_a_remote_that_is_gone_at_the_end_takes_no_result_away(
    toy: Project, storage: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with workers(toy, ThreadPoolExecutor(1)):
        shutil.rmtree(storage)
        storage.write_text("no folder any more")
    assert "stays in the DVC remote storage" in caplog.text


def test_a_damaged_file_of_the_remote_is_not_used(toy: Project, storage: Path) -> None:
    raw = (toy.folder / "data/raw/numbers/some.csv").read_bytes()
    with workers(toy, ThreadPoolExecutor(1)) as engine:
        for place in storage.rglob("*"):
            if place.is_file() and place.read_bytes() == raw:
                place.chmod(0o644)
                place.write_text("other\n")
        failed = engine.submit("rate", [f"{RATE}=0.3"])
        with pytest.raises(CrivoError, match=r"storage has a damaged file: .* delete it there"):
            failed.result(PATIENCE)


def test_a_remote_that_nobody_knows_is_refused(toy: Project) -> None:
    with (
        pytest.raises(CrivoError, match="There is no DVC remote"),
        workers(toy, ThreadPoolExecutor(1)),
    ):
        pass


@pytest.mark.parametrize("scheduler", [None, "slurm", "slurm:partition=cpu"])
def test_a_remote_is_for_the_workers_of_a_dask_cluster(scheduler: str | None) -> None:
    with pytest.raises(CrivoError, match="--remote is for workers of a Dask cluster"):
        engine_of(scheduler, remote="storage")
