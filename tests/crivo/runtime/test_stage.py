"""How a stage is run."""

import json
import logging
import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from crivo.core import threads
from crivo.core.errors import CrivoError
from crivo.core.params import Params, read_params
from crivo.runtime import read_guard, stage
from crivo.runtime.read_guard import StageEntry
from crivo.runtime.start import SET, cleared


def test_what_a_library_warns_of_is_one_line_and_what_was_read_is_noted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[object] = []
    for name in ("require_locked_environment", "require_declared_reads"):
        monkeypatch.setattr(stage, name, lambda name=name: done.append(name))
    monkeypatch.setattr(stage, "note_reads", done.append)
    monkeypatch.setattr(stage, "current_entry", lambda: StageEntry("fit", (), ("seed",)))
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(logging.getLogger("crivo"), "level", logging.INFO)

    def fit(params: Params) -> None:
        assert params.seed == read_params().seed
        warnings.warn("no end after 2 iterations (status=1):\nSTOP, see\n  a page", stacklevel=1)

    stage.run_stage(fit)
    assert caplog.messages == ["UserWarning: no end after 2 iterations (status=1)"]
    assert done == ["require_locked_environment", "require_declared_reads", {"seed"}]


def test_a_slow_step_is_told_after_15_30_and_60_seconds_and_then_every_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, told = [0.0], list[float]()

    class Passing(Event):
        def wait(self, seconds: float | None = None) -> bool:
            now[0] += seconds or 0
            return now[0] > 200

    monkeypatch.setattr(stage, "Event", Passing)
    monkeypatch.setattr(stage, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(stage.log, "info", lambda *line: told.append(line[2]))
    with stage.progress():
        pass  # the steps are told to the end
    assert told == [15, 30, 60, 120, 180]


def test_a_log_says_how_long_a_slow_step_has_run(monkeypatch: pytest.MonkeyPatch) -> None:
    said, told = Event(), []
    monkeypatch.setattr(stage, "SLOW", 0)
    monkeypatch.setattr(stage.log, "info", lambda *line: (told.append(line), said.set()))
    with stage.progress() as step:
        step("fit")
        step("fit, iteration 7")
        assert said.wait(30)
    assert told[0][:2] == ("%s: %.0f s so far", "fit, iteration 7")


def test_a_stage_gets_the_settings_that_it_declares() -> None:
    entry, read = StageEntry("train", (), ("seed", "model", "models.boosting")), set[str]()
    params = stage.DeclaredParams(read_params(), entry, read)
    assert params.block("model").learning_rate > 0
    assert params.seed >= 0
    assert read == {"seed", "model", "models.boosting"}
    for undeclared in (lambda: params.train.fraction, lambda: params.block("splitter")):
        with pytest.raises(CrivoError, match=r"add the line `- (train.fraction|splitter)` to its"):
            undeclared()
    assert len(read) == 3


def test_a_stage_notes_what_it_made_use_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = ["src/train.py", "src/blocks/models/a.pyi", "src/blocks/metrics"]
    for name, code in {"b/c.py": "x = 1", "metrics/__init__.py": ""}.items():
        (tmp_path / "src/blocks" / name).parent.mkdir(parents=True)
        (tmp_path / "src/blocks" / name).write_text(code)
    declared = {"deps": [*used, "src/blocks/b"], "params": ["seed", "model"]}
    entry = {"cmd": "python src/train.py", **declared}
    (tmp_path / "dvc.yaml").write_text(json.dumps({"stages": {"train": entry}}))
    monkeypatch.chdir(tmp_path)
    watch = read_guard.Watch(tmp_path / "src/train.py")
    monkeypatch.setattr(read_guard, "_watches", [watch])
    own = ("src/train.py", "src/blocks/models/a.py", "src/crivo/a.py")
    for path in (*own, "other/a.py"):
        name = path[4:-3].replace("/", ".")
        with read_guard.any_code():
            assert watch.any_code
            monkeypatch.setitem(sys.modules, name, SimpleNamespace(__file__=str(tmp_path / path)))
        assert not watch.any_code
        assert (name in sys.modules) == (name not in ("train", "blocks.models.a"))
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(__file__=str(tmp_path / path)))
    assert read_guard.imported_code() == {*own}
    stage.note_reads({"seed", "model"})  # where DVC has no folder
    assert stage.noted_reads(tmp_path, watch.entry) is None
    (tmp_path / ".dvc").mkdir()
    stage.note_reads({"seed", "model"})
    noted = {"read": ["model", "seed"], "code": used, "files": [*watch.entry.files]}
    assert stage.noted_reads(tmp_path, watch.entry) == {**noted, "settings": declared["params"]}
    assert stage.noted_reads(tmp_path, replace(watch.entry, settings=("seed",))) is None


def test_linear_algebra_takes_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    for name in names:
        monkeypatch.setenv(name, "2")
    with threadpool_limits(2), threads.limited_threads():
        pools = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
    assert {*pools} == {1}
    assert [os.environ[name] for name in names] == ["1"] * 3


@pytest.mark.parametrize(("given", "used"), [("3", 3), ("", 8), ("0", 8), ("2,1", 2)])
def test_a_fit_takes_all_cores_or_the_users_own_number(monkeypatch, given, used):
    monkeypatch.setattr(threads, "usable_cores", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert threads.fit_threads() == used


@pytest.mark.parametrize("own", [{}, {"OMP_WAIT_POLICY": "active"}, {"GOMP_SPINCOUNT": "9"}])
def test_threads_spin_briefly_unless_the_user_says_otherwise(own):
    """One of the two settings would overrule the other, so the user's own stands alone."""
    expected = own or {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000"}
    assert threads.with_waiting(own) == expected
    assert cleared(own) == expected | SET
