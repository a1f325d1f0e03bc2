"""What a person does next with a new block: the commands, in order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crivo.core.artifacts import RAW

# A dataset of one's own has no columns that the settings of another one may name.
PLAIN = {"splitter": "at_random", "featurizer": "tabular"}


def next_steps(
    kind: str, name: str, written: Sequence[Path], settings: dict[str, Any]
) -> list[str]:
    """Return the commands that test a block, show it to git and try it in the pipeline."""
    test = next(path for path in written if path.name == f"test_{name}.py")
    tracked = [path for path in written if RAW not in path.parents]
    steps = [f"python -m pytest {test}"]
    if kind == "dataset":
        steps.append(f"dvc add {RAW / name}")
        tracked += [RAW / f"{name}.dvc", RAW / ".gitignore"]
    steps.append(f"git add {' '.join(map(str, tracked))}")
    changes = {kind: name} | (_of_no_other_dataset(settings) if kind == "dataset" else {})
    changed = " ".join(f"-S {key}={value}" for key, value in changes.items())
    steps.append(f"dvc exp run --temp -n {name} {changed}")
    return steps


def _of_no_other_dataset(settings: dict[str, Any]) -> dict[str, str]:
    """Return what must change in the settings so that they name no column of other data."""
    changes = {key: value for key, value in PLAIN.items() if settings.get(key) != value}
    evaluate = settings.get("evaluate") or {}
    if evaluate.get("cluster") is not None:
        changes["evaluate.cluster"] = "null"
    if evaluate.get("slices"):
        changes["evaluate.slices"] = "[]"
    return changes
