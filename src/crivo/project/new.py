"""Writes what a new block needs: its file, its settings, its test; it works from the start."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from crivo.core.artifacts import RAW, write_text
from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE
from crivo.core.registry import BLOCKS
from crivo.project.names import check_class, check_name, class_name
from crivo.project.new_section import parse_settings, with_section
from crivo.project.steps import next_steps

CODE = Path(BLOCKS)
TESTS = Path("tests/project")
# What can be new -> the kind of block that it is. A baseline is a model in another place; a metric
# comes with an evaluator that shows it, which is what a stage depends on.
NEW_KINDS = {kind: kind for kind in KINDS if kind != "baseline"} | {"metric": "evaluator"}
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
    """Write a new block's file, its section in params.yaml and its test.

    CrivoError, and nothing is written: the kind is unknown, the name is taken or can't be one,
    or `root` isn't a crivo project.
    """
    if kind not in NEW_KINDS:
        raise CrivoError(f"{kind!r} isn't a kind of block; there are: {', '.join(NEW_KINDS)}.")
    check_name(kind, name)
    if kind == "metric":
        _check_metric(name)
    folder = KINDS[NEW_KINDS[kind]][0]
    code, test = CODE / folder / f"{name}.py", TESTS / folder / f"test_{name}.py"
    _check_project(root, folder)
    _check_free(root, kind, name, code, test)
    sources = {
        path: _filled(f"{kind}{end}.txt", name) for path, end in ((code, ".py"), (test, "_test.py"))
    }
    check_class(name, _filled(f"{kind}.py.txt", "block_of_another_name"))
    params = (root / PARAMS_FILE).read_text(encoding="utf-8")
    sources[PARAMS_FILE] = with_section(params, folder, name, _filled(f"{kind}.yaml.txt", name))
    if kind == "dataset":
        sources[RAW / name / "rows.csv"] = _sample()
    for path, text in sources.items():
        write_text(root / path, text)
    steps = next_steps(NEW_KINDS[kind], name, list(sources), parse_settings(params))
    return NewBlock(kind, name, tuple(sources), tuple(steps))


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


def _filled(template: str, name: str) -> str:
    """Return a template's text with the block's names in it."""
    text = files("crivo.project").joinpath("blocks", template).read_text(encoding="utf-8")
    return Template(text).substitute(name=name, cls=class_name(name))


def _sample() -> str:
    """Return made-up rows as CSV, in the form that the new dataset reads."""
    from crivo.testing.examples import example_rows

    rows = example_rows(rows=SAMPLE_ROWS).drop(columns=["city", "ordered", "remark"])
    return rows.to_csv(index=False, lineterminator="\n", float_format="%.6g")
