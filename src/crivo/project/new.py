"""Writes what a new block needs: its file and its settings; it works from the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from crivo.core.artifacts import RAW, SCHEMA, read_schema, write_text
from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE, read_yaml
from crivo.core.registry import BLOCKS
from crivo.project.names import check_class, check_name, class_name
from crivo.project.params_file import with_section

CODE = Path(BLOCKS)
# It runs the contract of every block, and so of a new one.
TEST = "tests/project/test_blocks.py"
# Blocks that are a function: settings name them in a list, and have no section for them.
FUNCTIONS = {"metric": "metrics", "check": "checks"}
# What can be new -> its folder. A baseline is a model in another place.
NEW_KINDS = {kind: KINDS[kind][0] for kind in KINDS if kind != "baseline"} | FUNCTIONS
# A metric to begin with: its settings, and which rows are wrong.
WRONG = {
    "regression": (", tolerance: float = 0.5", "abs(rows.target - rows.predicted) > tolerance"),
    "binary": ("", "rows.target != rows.predicted"),
    "multiclass": ("", "rows.target != rows.predicted"),
}
# What names a function in the settings.
NAMED = {
    "metric": "# in params.yaml: evaluators.standard.primary: {0}, or {0} in its metrics",
    "check": "# in params.yaml: {0} in evaluate.checks",
}
# A dataset of one's own has no columns that the settings of another one may name.
PLAIN = {"splitter": "at_random", "featurizer": "tabular"}
# Made-up rows for a new dataset: enough for every split.
SAMPLE_ROWS = 600


@dataclass(frozen=True)
class NewBlock:
    """A new block: which files were written, and the commands to go on with."""

    kind: str
    name: str
    written: tuple[Path, ...]
    next_steps: tuple[str, ...]


def new_block(kind: str, name: str, root: Path = Path()) -> NewBlock:
    """Write a new block's file and its section in params.yaml.

    CrivoError, and nothing is written: the kind is unknown, the name is taken or can't be one,
    or `root` isn't a crivo project.
    """
    if kind not in NEW_KINDS:
        raise CrivoError(f"{kind!r} isn't a kind of block; there are: {', '.join(NEW_KINDS)}.")
    check_name(kind, name)
    if kind == "metric":
        _check_metric(name)
    folder = NEW_KINDS[kind]
    code = CODE / folder / f"{name}.py"
    _check_project(root, folder)
    _check_free(root, kind, name, code)
    settings = read_yaml(root / PARAMS_FILE)
    words = _words(root, kind, settings)
    sources = {code: _filled(f"{kind}.py.txt", name, words)}
    if kind not in FUNCTIONS:
        check_class(name, _filled(f"{kind}.py.txt", "block_of_another_name", words))
        section = _filled(f"{kind}.yaml.txt", name, words)
        params = (root / PARAMS_FILE).read_text(encoding="utf-8")
        sources[PARAMS_FILE] = with_section(params, folder, name, section)
    if kind == "dataset":
        sources[RAW / name / "rows.csv"] = _sample()
    for path, text in sources.items():
        write_text(root / path, text)
    steps = _next_steps(kind, name, list(sources), settings)
    return NewBlock(kind, name, tuple(sources), tuple(steps))


def _words(root: Path, kind: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what a template takes from the project: its task, and a code that is free."""
    if kind == "check":
        taken = len(list((root / CODE / FUNCTIONS[kind]).glob("[!_]*.py")))
        return {"code": f"X{taken + 1:03d}"}
    if kind != "metric":
        return {}
    section = (settings.get("datasets") or {}).get(settings.get("dataset")) or {}
    task = section.get("task")
    if task is None and (root / SCHEMA).is_file():
        task = read_schema(root / SCHEMA).task
    setting, wrong = WRONG.get(str(task), WRONG["binary"])
    return {"task": str(task or "binary"), "setting": setting, "wrong": wrong}


def _check_project(root: Path, folder: str) -> None:
    if not (root / PARAMS_FILE).is_file() or not (root / CODE / folder).is_dir():
        raise CrivoError(
            f"There is no {PARAMS_FILE} with a folder {CODE / folder} here; run this in the "
            "project's folder."
        )


def _check_free(root: Path, kind: str, name: str, *paths: Path) -> None:
    if kind == "dataset":
        paths = (*paths, RAW / name, RAW / f"{name}.dvc")
    for path in paths:
        if (root / path).exists():
            raise CrivoError(f"{path} already exists; choose another name than {name!r}.")


def _check_metric(name: str) -> None:
    from crivo.evaluation.metrics import unknown_metric

    if not unknown_metric([name]):
        raise CrivoError(f"There is a metric {name} already; take another name.")


def _filled(template: str, name: str, words: Mapping[str, str]) -> str:
    """Return a template's text with the block's names in it."""
    text = files("crivo.project").joinpath("blocks", template).read_text(encoding="utf-8")
    return Template(text).substitute(words, name=name, cls=class_name(name))


def _sample() -> str:
    """Return made-up rows as CSV, in the form that the new dataset reads."""
    from crivo.testing.examples import example_rows

    rows = example_rows(rows=SAMPLE_ROWS).drop(columns=["city", "ordered", "remark"])
    return rows.to_csv(index=False, lineterminator="\n", float_format="%.6g")


def _next_steps(
    kind: str, name: str, written: Sequence[Path], settings: Mapping[str, Any]
) -> list[str]:
    """Return the commands that test a block, show it to git and try it in the pipeline."""
    tracked = [path for path in written if RAW not in path.parents]
    steps = [f"python -m pytest {TEST} -k {name}"]
    if kind == "dataset":
        steps.append(f"dvc add {RAW / name}")
        tracked += [RAW / f"{name}.dvc", RAW / ".gitignore"]
    steps.append(f"git add {' '.join(map(str, tracked))}")
    if kind in NAMED:
        return [*steps, NAMED[kind].format(name), "dvc repro"]
    changes = {kind: name} | (_of_no_other_dataset(settings) if kind == "dataset" else {})
    changed = " ".join(f"{key}={value}" for key, value in changes.items())
    return [*steps, f"crivo try {changed}"]


def _of_no_other_dataset(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what must change in the settings so that they name no column of other data."""
    changes = {key: value for key, value in PLAIN.items() if settings.get(key) != value}
    evaluate = settings.get("evaluate") or {}
    if evaluate.get("cluster") is not None:
        changes["evaluate.cluster"] = "null"
    if evaluate.get("slices"):
        changes["evaluate.slices"] = "[]"
    return changes
