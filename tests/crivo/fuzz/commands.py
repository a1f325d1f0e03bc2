"""Runs the public commands and stages inside the test's process: thousands of cases in a minute.

A command either succeeds or exits with a sentence. Any other exception is what a user would see
as a traceback; it is not caught here, so that it fails the test.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator
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
from tests.crivo.settings import SETTINGS

ROOT = Path(__file__).parents[3]
STAGES = ("prepare", "featurize", "train", "evaluate")

# CRIVO_FUZZ=20 tries twenty times as many cases, other ones in each run.
TIMES = int(os.environ.get("CRIVO_FUZZ", "1"))


def cases(number: int) -> settings:
    """Return how many cases a test tries, the same ones in each run unless CRIVO_FUZZ is set."""
    return settings(
        max_examples=number * TIMES,
        derandomize=TIMES == 1,
        deadline=None,
        database=None,
        print_blob=True,
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


def pipeline(folder: Path) -> Outcome:
    """Run the stages until one refuses."""
    for name in STAGES:
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
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        listing = [
            {"md5": _md5(path.read_bytes()), "relpath": path.relative_to(folder).as_posix()}
            for path in files
        ]
        total = _md5(json.dumps(listing, sort_keys=True).encode()) + ".dir"
        record = f"outs:\n- md5: {total}\n  hash: md5\n  path: table\n"
        folder.with_name("table.dvc").write_text(record, encoding="utf-8")

    with patch("crivo.project.place.track", track):
        yield


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


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


def rows_of(folder: Path) -> dict[str, Any]:
    """Return what `prepare` counted, and how many rows it wrote."""
    import pandas as pd

    counted = json.loads((folder / "metrics/data/metrics.json").read_text(encoding="utf-8"))
    splits = [pd.read_parquet(folder / f"data/prepared/{s}.parquet") for s in SPLITS]
    aside = pd.read_parquet(folder / "data/quarantine/rows.parquet")
    return counted | {"written": sum(map(len, splits)), "aside": len(aside)}


SPLITS = ("train", "valid", "test")


def validate(folder: Path) -> Outcome:
    """Read the settings as each stage does before any work."""

    def settings(params: object) -> None:
        """Stand for a stage that does nothing."""

    return _ended(folder, lambda: run_stage(settings), "settings: ")
