"""Runs the public commands and stages inside the test's process: thousands of cases in a minute.

A command either succeeds or exits with a sentence. Any other exception is what a user would see
as a traceback; it is not caught here, so that it fails the test.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from crivo.runtime.stage import run_stage

from hypothesis import HealthCheck, settings
from typer.main import get_command

from crivo.cli import app, main
from crivo.run import Run
from tests.crivo.conftest import TIMES
from tests.crivo.faults.sound import digest
from tests.crivo.settings import SETTINGS

ROOT = Path(__file__).parents[3]
STAGES = ("prepare", "featurize", "train", "evaluate")


def cases(number: int) -> settings:
    """Return how many cases a test tries; CRIVO_FUZZ=20 tries twenty times as many."""
    return settings(
        settings.get_profile("quick"),
        max_examples=number * max(TIMES, 1),
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@dataclass(frozen=True)
class Outcome:
    """How a command ended: its exit status, the sentence it ended with, what it printed."""

    status: int
    sentence: str
    printed: str

    @property
    def accepted(self) -> bool:
        return self.status == 0


def crivo(folder: Path, *arguments: str) -> Outcome:
    """Run `crivo` in a folder; what refuses does so in a sentence."""
    with patch("sys.argv", ["crivo", *arguments]), patch("crivo.cli.app", _commands()):
        return _ended(folder, main, "crivo: ")


@cache
def _commands() -> Callable[[], Any]:
    """Return all commands, built once: that takes longer than many a case."""
    return get_command(app)


def stage(folder: Path, name: str) -> Outcome:
    """Run a stage in a project's folder; what refuses does so in a sentence."""
    script = importlib.import_module(name)
    with patch("crivo.runtime.start.start_stage"):  # the variables are those of the tests
        return _ended(folder, lambda: Run.start(getattr(script, name)), f"{name}: ")


def pipeline(folder: Path, stages: Sequence[str] = STAGES) -> Outcome:
    """Run stages until one refuses."""
    for name in stages:
        outcome = stage(folder, name)
        if not outcome.accepted:
            break
    return outcome


def _ended(folder: Path, command: Callable[[], None], start: str) -> Outcome:
    out, status = io.StringIO(), None
    with warnings.catch_warnings(), contextlib.chdir(folder), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stderr(out):
            try:
                command()
            except SystemExit as error:
                status = error.code
    outcome = Outcome(1 if isinstance(status, str) else status or 0, str(status), out.getvalue())
    require_sentence(outcome, start)
    return outcome


def require_sentence(outcome: Outcome, start: str) -> None:
    """Fail unless a refusal is told in words, with exit status 1."""
    assert "Traceback" not in outcome.printed + outcome.sentence
    if outcome.accepted:
        return
    assert outcome.status == 1, outcome
    assert outcome.sentence.startswith(start), outcome
    said = outcome.sentence.removeprefix(start)
    assert len(said.split()) >= 4, outcome
    assert " object at 0x" not in said, outcome


@contextlib.contextmanager
def recorded_without_dvc() -> Iterator[None]:
    """Let `crivo init` write what `dvc add` would record, without starting DVC for each case."""

    def track(project: Path) -> None:
        folder = project / "data/raw/table"
        record = f"outs:\n- md5: {digest(folder)}\n  hash: md5\n  path: table\n"
        folder.with_name("table.dvc").write_text(record, encoding="utf-8")

    with patch("crivo.project.place.track", track):
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
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    for command in (
        ("init", "-q", "--template="),
        ("commit", "-q", "--allow-empty", "-m", "Start"),
    ):
        subprocess.run(["git", *identity, *command], cwd=folder, check=True)
    return folder


def validate(folder: Path) -> Outcome:
    """Read the settings as each stage does before any work."""

    def settings(params: object) -> None:
        """Stand for a stage that does nothing."""

    return _ended(folder, lambda: run_stage(settings), "settings: ")
