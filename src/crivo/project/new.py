"""`crivo new`: writes a new block that works from the start: its file and its settings."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from crivo.core.artifacts import RAW, SCHEMA, read_schema, write_text
from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE
from crivo.core.parsing import read_yaml
from crivo.core.registry import BLOCKS
from crivo.core.tasks import TASKS, by_estimator
from crivo.project.params_file import setting_at, with_block_section

CODE = Path(BLOCKS)
# It runs the contract of every block, and so of a new one.
TEST = "tests/project/test_blocks.py"
# Blocks that are a function: settings name them in a list, and have no section for them.
FUNCTIONS = {"metric": "metrics", "check": "checks"}
# What can be new -> its folder. A baseline is a model in another place.
NEW_KINDS = {kind: KINDS[kind][0] for kind in KINDS if kind != "baseline"} | FUNCTIONS
# A metric to begin with: its settings, and which rows are wrong.
FAR = (", tolerance: float = 0.5", "abs(rows.target - rows.predicted) > tolerance")
OTHER = ("", "rows.target != rows.predicted")
# The setting that lists functions of a kind.
NAMED = {"metric": "evaluators.standard.metrics", "check": "evaluate.checks"}
# A dataset of one's own has no columns that the settings of another one may name.
NO_COLUMNS = "splitter=at_random featurizer=tabular evaluate.cluster=null 'evaluate.slices=[]'"
# Made-up rows for a new dataset: enough for every split.
SAMPLE_ROWS = 600
# What programs that read YAML 1.1 take for true, false or nothing.
YAML_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


@dataclass(frozen=True)
class NewBlock:
    """A new block: which files were written, and the commands to go on with."""

    written: tuple[Path, ...]
    next_steps: tuple[str, ...]


def new_block(kind: str, name: str, root: Path = Path()) -> NewBlock:
    """Write a new block's file and its section in params.yaml.

    CrivoError, and nothing is written: the kind is unknown, the name is taken or can't be one,
    or `root` isn't a crivo project.
    """
    if kind not in NEW_KINDS:
        raise CrivoError(f"{kind!r} isn't a kind of block; there are: {', '.join(NEW_KINDS)}.")
    _check_name(kind, name)
    folder = NEW_KINDS[kind]
    code = CODE / folder / f"{name}.py"
    if not (root / PARAMS_FILE).is_file() or not (root / code.parent).is_dir():
        raise CrivoError(
            f"There is no {PARAMS_FILE} with a folder {code.parent} here; run this in the "
            "project's folder."
        )
    for path in (code, *((RAW / name, RAW / f"{name}.dvc") if kind == "dataset" else ())):
        if (root / path).exists():
            raise CrivoError(f"{path} already exists; choose a name other than {name!r}.")
    settings = read_yaml(root / PARAMS_FILE) or {}
    words = {"name": name, "cls": name.title().replace("_", ""), **_words(root, kind, settings)}
    texts = {code: _filled(f"{kind}.py.txt", words)}
    if kind not in FUNCTIONS:
        section = _filled(f"{kind}.yaml.txt", words)
        params = (root / PARAMS_FILE).read_text(encoding="utf-8")
        texts[PARAMS_FILE] = with_block_section(params, folder, name, section)
    if kind == "dataset":
        from crivo.testing.fakes import example_rows

        rows = example_rows(rows=SAMPLE_ROWS).drop(columns=["city", "ordered", "remark"])
        text = rows.to_csv(index=False, lineterminator="\n", float_format="%.6g")
        texts[RAW / name / "rows.csv"] = text
    for path, text in texts.items():
        write_text(root / path, text)
    change = f"{kind}={name}"
    if kind in NAMED:  # the list is set as a whole
        chosen = setting_at(settings, NAMED[kind])
        if kind == "metric" and not chosen:
            from crivo.evaluation.rows import ROWS

            chosen = ROWS[words["task"]].usual_metrics
        change = f"'++{NAMED[kind]}=[{', '.join([*(chosen or ()), name])}]'"
    return NewBlock(tuple(texts), tuple(_next_steps(kind, name, change, [*texts])))


def _check_name(kind: str, name: str) -> None:
    """Raise CrivoError unless the name can be that of a file, a module and a parameter."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,29}", name):
        raise CrivoError(
            f"{name!r} can't name a {kind}: it becomes a Python file and a value in params.yaml. "
            "Use at most 30 lower-case letters, digits and underscores, beginning with a letter."
        )
    if keyword.iskeyword(name) or name in YAML_WORDS:
        raise CrivoError(f"{name!r} is a reserved word of Python or YAML; choose another name.")
    if kind == "metric":
        from crivo.evaluation.metrics import unknown_metric

        if not unknown_metric([name]):
            raise CrivoError(f"There is a metric {name} already; choose another name.")


def _words(root: Path, kind: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what a template takes from the project: its task, or a code that is free."""
    if kind == "check":
        taken = len(list((root / CODE / FUNCTIONS[kind]).glob("[!_]*.py")))
        return {"code": f"X{taken + 1:03d}"}
    if kind != "metric":
        return {}
    task = setting_at(settings, f"datasets.{settings.get('dataset')}.task")
    if task is None and (root / SCHEMA).is_file():
        task = read_schema(root / SCHEMA).task
    known = task if task in TASKS else "binary"
    setting, wrong = by_estimator(known, classifier=OTHER, regressor=FAR)
    return {"task": known, "setting": setting, "wrong": wrong}


def _filled(template: str, words: Mapping[str, str]) -> str:
    """Return a template's text with the block's words in it."""
    text = files("crivo.project").joinpath("blocks", template).read_text(encoding="utf-8")
    return Template(text).substitute(words)


def _next_steps(kind: str, name: str, change: str, written: Sequence[Path]) -> list[str]:
    """Return the commands that test a block, show it to git and try it in the pipeline."""
    tracked = [path for path in written if RAW not in path.parents]
    steps = [f"python -m pytest {TEST} -k {name}"]
    if kind == "dataset":
        steps.append(f"dvc add {RAW / name}")
        tracked += [RAW / f"{name}.dvc", RAW / ".gitignore"]
    steps.append(f"git add {' '.join(map(str, tracked))}")
    columns = f" {NO_COLUMNS}" if kind == "dataset" else ""
    return [*steps, f"crivo try {change}{columns}"]
