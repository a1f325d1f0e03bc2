"""No package but `repository` runs git or DVC; `lint-imports` says who may import DVC."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

LIBRARY = Path(__file__).parents[3] / "src/crivo"
# What a stage asks of git, and so can't depend on the tools in `repository`.
EXCEPTIONS = {"core/git.py"}


def commands(tree: ast.AST) -> Iterator[int]:
    """Yield the lines where a command of git's or DVC's is written: `["git", …]`, `-m dvc`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple):
            words = [one.value if isinstance(one, ast.Constant) else None for one in node.elts]
            if words[:1] in (["git"], ["dvc"]) or ("-m", "dvc") in pairwise(words):
                yield node.lineno


def test_only_the_repository_runs_git_or_dvc() -> None:
    found = {
        f"{name}:{line}"
        for path in LIBRARY.rglob("*.py")
        if (name := path.relative_to(LIBRARY).as_posix()) not in EXCEPTIONS
        and not name.startswith("repository/")
        for line in commands(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()
