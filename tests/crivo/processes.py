"""Python in a process of its own, for what is true only there."""

import os
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

SRC = Path(__file__).parents[2] / "src"


def python(*arguments: str, folder: Path = SRC, **variables: str) -> CompletedProcess[str]:
    """Run Python in a folder, with some variables besides those of the tests."""
    command, env = [sys.executable, *arguments], os.environ | variables
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8")
