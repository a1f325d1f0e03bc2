"""No package but `repository` runs git or DVC; `lint-imports` says who may import DVC."""

from __future__ import annotations

import re
from pathlib import Path

LIBRARY = Path(__file__).parents[3] / "src/crivo"
# What a stage asks of git, and so can't depend on the tools in `repository`.
EXCEPTIONS = ("core/git.py", "repository/")
COMMAND = re.compile(r'(?<!\w)[\[(]\s*"(git|dvc)",|"-m",\s*"dvc"')


def test_only_the_repository_runs_git_or_dvc() -> None:
    found = {
        name
        for path in LIBRARY.rglob("*.py")
        if not (name := path.relative_to(LIBRARY).as_posix()).startswith(EXCEPTIONS)
        and COMMAND.search(path.read_text(encoding="utf-8"))
    }
    assert found == set()
    assert COMMAND.search((LIBRARY / "core/git.py").read_text(encoding="utf-8"))
