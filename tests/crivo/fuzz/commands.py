"""Runs the public commands and stages inside the test's process: thousands of cases in a minute.

A command either succeeds or exits with a sentence. Any other exception is what a user would see
as a traceback; it is not caught here, so that it fails the test.
"""

from __future__ import annotations

from crivo.runtime.stage import run_stage

import contextlib
import importlib
import io
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, settings
from typer.main import get_command

from crivo.cli import app, main
from crivo.preparation.rawdata import content_hash
from crivo.run import Run
from tests.crivo.conftest import TIMES
from tests.crivo.pipeline.project import ROOT
from tests.crivo.settings import SETTINGS

PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large]


def cases(number: int) -> settings:
    """Return how many cases a test tries; CRIVO_FUZZ=20 tries twenty times as many."""
    usual, count = settings.get_profile("quick"), number * max(TIMES, 1)
    return settings(usual, max_examples=count, database=None, suppress_health_check=PATIENT)


def crivo(folder: Path, *arguments: str) -> str:
    """Run `crivo` in a folder; return the sentence in which it refuses, or nothing."""
    with patch("sys.argv", ["crivo", *arguments]), patch("crivo.cli.app", _commands()):
        return _refusal(folder, main, "crivo: ")


@cache
def _commands() -> Callable[[], Any]:
    """Return all commands, built once: that takes longer than many a case."""
    return get_command(app)


def stage(folder: Path, name: str) -> str:
    """Run a stage in a project's folder; return the sentence in which it refuses, or nothing."""
    script = importlib.import_module(name)
    with patch("crivo.runtime.start.start_stage"):  # the variables are those of the tests
        return _refusal(folder, lambda: Run.start(getattr(script, name)), f"{name}: ")


def read_settings(folder: Path) -> str:
    """Read the settings as each stage does before any work; return a refusal, or nothing."""

    def settings(params: object) -> None:
        """Stand for a stage that does nothing."""

    return _refusal(folder, lambda: run_stage(settings), "settings: ")


def _refusal(folder: Path, command: Callable[[], None], start: str) -> str:
    out, status = io.StringIO(), None
    with warnings.catch_warnings(), contextlib.chdir(folder), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stderr(out):
            try:
                command()
            except SystemExit as error:
                status = error.code
    said = status if isinstance(status, str) else ""
    assert "Traceback" not in out.getvalue() + said
    assert said or not status, (status, out.getvalue())
    if said:
        assert said.startswith(start), said
        assert len(said.removeprefix(start).split()) >= 4, said
        assert " object at 0x" not in said, said
    return said


@contextlib.contextmanager
def recorded_without_dvc() -> Iterator[None]:
    """Let `crivo init` write what `dvc add` would record, without starting DVC for each case."""

    def track(project: Path) -> None:
        folder = project / "data/raw/table"
        record = f"outs:\n- md5: {content_hash(folder)}\n  hash: md5\n  path: table\n"
        folder.with_name("table.dvc").write_text(record, encoding="utf-8")

    with patch("crivo.project.start.track", track):
        yield


def new_project(folder: Path) -> Path:
    """Write what a project needs beside its code; its models are small."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("dvc.yaml", "requirements.txt"):
        shutil.copy(ROOT / name, folder)
    (folder / ".dvc").mkdir()
    (folder / "params.yaml").write_text(SETTINGS, encoding="utf-8")
    (folder / "metrics").mkdir()
    (folder / "metrics/incumbent.json").write_text("{}\n", encoding="utf-8")
    git = ["git", "-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
    subprocess.run([*git, "init", "-q", "--template="], cwd=folder, check=True)
    commit = ["commit", "-q", "--allow-empty", "-m", "Start"]
    subprocess.run([*git, *commit], cwd=folder, check=True)
    return folder
