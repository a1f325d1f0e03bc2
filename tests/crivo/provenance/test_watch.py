"""Files that a stage reads and doesn't name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from crivo.provenance.causes import WATCH, undeclared
from crivo.repository.lock import lock_of

STAGE = lock_of(
    {
        "train": {
            "deps": [{"path": "src/crivo/core", "md5": "1.dir"}, {"path": "data/a", "md5": "2"}],
            "outs": [{"path": "models/model.skops", "md5": "3"}],
        }
    }
).stages["train"]


def test_only_files_that_are_neither_deps_nor_outs_are_named(tmp_path: Path) -> None:
    read = [
        "data/a",
        "src/crivo/core/words.txt",
        "models/model.skops",
        "params.yaml",
        ".git/HEAD",
        "data/raw/flights.dvc",
        "src/train.py",
        "src",
        "weights.txt",
        "models/featurizer.skops",
        "weights.txt",
    ]
    (tmp_path / "src").mkdir()
    lines = [str(tmp_path / name) for name in read] + ["/etc/passwd"]
    assert undeclared(lines, tmp_path, STAGE) == ["weights.txt", "models/featurizer.skops"]


def watched(folder: Path, **more: str) -> list[str]:
    """Return the files in a folder that a small program is seen to read there."""
    (folder / "there.txt").write_text("x")
    program = """
import os
from crivo.core.start import start_stage
start_stage()
open("there.txt").close()
open("made.txt", "w").close()
os.close(os.open("there.txt", os.O_RDONLY))
try:
    open("gone.txt")
except FileNotFoundError:
    pass
"""
    # What other tests leave in the environment isn't a part of this.
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(WATCH)} | more
    env["CRIVO_WATCH"] = str(folder / "log")
    (folder / "stage.py").write_text(program)
    subprocess.run([sys.executable, "stage.py"], cwd=folder, env=env, check=True)
    log = folder / "log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [
        Path(line).name
        for line in lines
        if Path(line).parent == folder.resolve() and not line.endswith(".py")
    ]


def test_a_stage_is_seen_to_read_even_what_is_not_there(tmp_path: Path) -> None:
    assert watched(tmp_path, DVC_STAGE="train") == ["there.txt", "there.txt", "gone.txt"]


def test_what_is_no_stage_is_not_watched(tmp_path: Path) -> None:
    assert watched(tmp_path) == []
