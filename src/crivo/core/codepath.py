"""Puts a project's `src` first on the import path, so that its code comes before installed code.

`python src/train.py` puts `src` first on the path by itself, so a stage runs the code it stands
beside: the project's blocks, and the library too where there is a `src/crivo`; otherwise the
installed one. For what people run, `put_project_first` does the same; `find_project` finds the
project that a folder is in.
"""

from __future__ import annotations

import sys
from pathlib import Path

# What makes a folder a project.
FILES = ("dvc.yaml", "params.yaml")


def find_project(folder: Path = Path()) -> Path | None:
    """Return the project that a folder is or is in: the nearest with dvc.yaml and params.yaml."""
    here = folder.resolve()
    for place in (here, *here.parents):
        if all((place / name).is_file() for name in FILES):
            return place
    return None


def put_project_first(folder: Path = Path()) -> Path | None:
    """Put the `src` of the project that a folder is in first on the path, and return it.

    None, and nothing is done, outside of a project.
    """
    project = find_project(folder)
    if project is None or not (project / "src").is_dir():
        return None
    src = project / "src"
    if sys.path[:1] != [str(src)]:
        sys.path.insert(0, str(src))
    return src
