"""Which files of crivo's repository a team's project has: the one list of them.

`setup.py` runs this file before anything is installed: it imports Python's own modules only.
"""

from __future__ import annotations

from pathlib import Path

# What a team owns; the wheel carries these files as they are in crivo's repository.
PROJECT = (
    "src/*.py",
    "src/blocks/**/*.py",
    "tests/__init__.py",
    "tests/project/**/*.py",
    "notebooks/*.ipynb",
    "dvc.yaml",
    "params.yaml",
    "metrics/incumbent.json",
    "Makefile",
    ".ci/run",
    ".github/workflows/ci.yml",
    ".gitignore",
    ".gitattributes",
    ".dvcignore",
    ".dvc/.gitignore",
    ".dvc/config",
    ".dvc/plots/*.json",
    ".dvc/plots/offline.html",
    "requirements*.txt",
    "LICENSE",
    "AGENTS.md",
    "CHANGELOG.md",
    "data/raw/flights.dvc",
)
# The part of it that is about the flights: it goes when a table of the team's own comes.
FLIGHTS = (
    "data/raw/flights.dvc",
    "src/blocks/datasets/flights.py",
    "src/blocks/featurizers/flights.py",
)
# What the wheel is built from beside `src/crivo`.
BUILD = ("pyproject.toml", "setup.py", "README.md", "LICENSE")


def project_files(root: Path) -> list[str]:
    """Return the files of a project below `root`, sorted, as paths with slashes."""
    paths = {path for pattern in PROJECT for path in root.glob(pattern) if path.is_file()}
    return sorted(path.relative_to(root).as_posix() for path in paths)
