"""What dvclive needs of the project, told before a model is fitted."""

import subprocess
import sys
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.training.tracking import tracker


def test_a_project_without_a_commit_is_told_to_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run([sys.executable, "-m", "dvc", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CrivoError, match="commit the project first"), tracker(Path("metrics")):
        pass
