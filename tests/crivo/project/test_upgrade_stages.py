"""A stage is the same when its code, the library's that it imports, and its packages are."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from crivo.project.upgrade import differences, facts

LOCK = """\
./vendor/crivo-1-py3-none-any.whl \\
    --hash=sha256:01
    # via churn (pyproject.toml)
pandas==3.0 \\
    --hash=sha256:03
    # via crivo
typer==1.0 \\
    --hash=sha256:05
    # via crivo
"""
DVC = """\
stages:
  one:
    cmd: python src/one.py
    deps: [requirements.txt, src/one.py, src/extra]
    params: [seed]
    outs: [data/one.csv]
  two:
    cmd: python src/two.py
    deps: [requirements.txt, src/two.py, data/one.csv]
    outs: [data/two.csv]
"""
# What crivo's own repository says of the library's folders, as it comes with the library.
OWN = """\
stages:
  one:
    deps: [requirements.txt, src/one.py, src/crivo/both.py, src/crivo/reading]
  two:
    deps: [src/two.py, src/crivo/both.py]
"""
BEFORE = {
    "dvc.yaml": DVC,
    "params.yaml": "seed: 1\nother: 2\n",
    "requirements.txt": LOCK,
    "src/one.py": "import crivo.both\nimport crivo.reading\n",
    "src/two.py": "import json\nimport crivo.both\n",
    "src/extra/table.txt": "a\n",
    "src/crivo/project/files/dvc.yaml": OWN,
    "src/crivo/both.py": "NAME = 1\n",
    "src/crivo/reading/csv.py": "import pandas\n",
    "src/crivo/tool.py": "import typer\n",
}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return facts_of(tmp_path_factory.mktemp("before"), BEFORE)


@pytest.mark.parametrize(
    ("changed", "one", "two"),
    [
        ({}, [], []),
        ({"src/crivo/tool.py": "import os\n"}, [], []),
        ({"src/one.py": "import crivo.reading\n"}, ["src/one.py"], []),
        ({"src/extra/table.txt": "b\n"}, ["src/extra/table.txt"], []),
        ({"src/extra.dvc": "outs: []\n"}, ["src/extra.dvc"], []),
        ({"src/crivo/reading/csv.pyc": "bytes"}, [], []),
        ({"src/crivo/reading/csv.py": "import numpy\n"}, ["src/crivo/reading/csv.py"], []),
        ({"src/crivo/both.py": "NAME = 2\n"}, *2 * [["src/crivo/both.py"]]),
        ({"params.yaml": "seed: 2\nother: 3\n"}, ["the settings seed"], []),
        ({"dvc.yaml": DVC.replace("data/two.csv", "data/three.csv")}, [], ["dvc.yaml"]),
        # Any package may matter to any stage.
        (
            {"requirements.txt": LOCK.replace("typer==1", "typer==2")},
            *2 * [["typer==2.0", "typer==1.0"]],
        ),
        # Hashes of the same version, and crivo's own wheel, are no other package.
        ({"requirements.txt": LOCK.replace("sha256:03", "sha256:33")}, [], []),
        ({"requirements.txt": LOCK.replace("crivo-1-", "crivo-2-")}, [], []),
    ],
)
def test_a_stage_differs_by_what_it_uses(
    before: dict[str, dict[str, Any]],
    tmp_path: Path,
    changed: Mapping[str, str],
    one: list[str],
    two: list[str],
) -> None:
    after = facts_of(tmp_path, {**BEFORE, **changed}, changed)
    assert differences(before, after) == {"one": one, "two": two}


def test_a_stage_of_a_team_s_own_may_use_all_of_the_library(tmp_path: Path) -> None:
    named = BEFORE | {"dvc.yaml": DVC.replace("  two:", "  own:")}
    tool = {"src/crivo/tool.py": "import os\n"}
    old = facts_of(tmp_path / "old", named)
    new = facts_of(tmp_path / "new", named | tool, tool)
    assert differences(old, new) == {"one": [], "own": ["src/crivo/tool.py"]}


def test_a_stage_that_only_the_new_release_has_has_one_reason(
    before: dict[str, dict[str, Any]],
) -> None:
    old = {"two": before["two"]}
    assert differences(old, before) == {"one": ["a new stage"], "two": []}


def facts_of(
    folder: Path, files: Mapping[str, str], changed: Iterable[str] = ()
) -> dict[str, dict[str, Any]]:
    """Write a project with its library, outside of any repository, and return its facts."""
    for path, text in {**files, ".dvc/config": "[core]\n    no_scm = True\n"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return facts(folder, folder / "src/crivo", changed)
