"""What a project's own code says about its settings and blocks.

The project that is checked may be a copy, or an older commit: its own code is asked, in a
process of its own, and not the code that is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from crivo.checks import probe
from crivo.repository.unreadable import Unreadable


@dataclass(frozen=True)
class Verdict:
    """Sentences, each with its subject, about settings (keys) and blocks (files)."""

    settings: tuple[probe.Sentence, ...]
    blocks: tuple[probe.Sentence, ...]


def ask_project(root: Path) -> Verdict:
    """Return what the code of a project says; Unreadable when it can't be run."""
    done = subprocess.run(
        [sys.executable, "-P", probe.__file__],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        raise Unreadable("src", f"its code can't be run: {last}.") from None
    return Verdict(*(tuple(map(tuple, answer[part])) for part in ("settings", "blocks")))
