"""A stage is the same when its code, the library's that it imports, and its packages are."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from crivo.project.upgrade.stages import Tree, differences, inputs_made_by, write_tree

LOCK = """\
./vendor/crivo-1-py3-none-any.whl \\
    --hash=sha256:01
    # via churn (pyproject.toml)
numpy==2.0 \\
    --hash=sha256:02
    # via pandas
pandas==3.0 \\
    --hash=sha256:03
    # via crivo
pyarrow==20 \\
    --hash=sha256:04
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
BEFORE = {
    "dvc.yaml": DVC,
    "params.yaml": "seed: 1\nother: 2\n",
    "requirements.txt": LOCK,
    "src/one.py": "import crivo.both\nimport crivo.reading\n",
    "src/two.py": "import json\nimport crivo.both\n",
    "src/extra/table.txt": "a\n",
    "src/crivo/__init__.py": "",
    "src/crivo/both.py": "NAME = 'page.html'\n",
    "src/crivo/page.html": "<p>\n",
    "src/crivo/reading.py": "import pandas\n",
    "src/crivo/tool.py": "import typer\n",
}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return write_tree(tmp_path_factory.mktemp("before"), encoded(BEFORE))


@pytest.mark.parametrize(
    ("changed", "one", "two"),
    [
        ({}, [], []),
        ({"src/crivo/tool.py": "import os\n"}, [], []),
        ({"src/one.py": "import crivo.reading\n"}, ["src/one.py"], []),
        ({"src/extra/table.txt": "b\n"}, ["src/extra/table.txt"], []),
        ({"src/crivo/reading.py": "import numpy\n"}, ["src/crivo/reading.py"], []),
        ({"src/crivo/both.py": "NAME = 1\n"}, *2 * [["src/crivo/both.py"]]),
        ({"src/crivo/page.html": "<b>\n"}, *2 * [["src/crivo/page.html"]]),
        ({"params.yaml": "seed: 2\nother: 3\n"}, ["the settings seed"], []),
        ({"dvc.yaml": DVC.replace("data/two.csv", "data/three.csv")}, [], ["dvc.yaml"]),
        # Packages: what the stage imports, what that needs, and what that can use.
        ({"requirements.txt": LOCK.replace("typer==1", "typer==2")}, [], []),
        (
            {"requirements.txt": LOCK.replace("pandas==3", "pandas==4")},
            ["pandas==3.0 -> pandas==4.0"],
            [],
        ),
        (
            {"requirements.txt": LOCK.replace("numpy==2", "numpy==3")},
            ["numpy==2.0 -> numpy==3.0"],
            [],
        ),
        (
            {"requirements.txt": LOCK.replace("pyarrow==20", "pyarrow==21")},
            ["pyarrow==20 -> pyarrow==21"],
            [],
        ),
        # Hashes of the same version, and crivo's own wheel, are no other package.
        ({"requirements.txt": LOCK.replace("sha256:03", "sha256:33")}, [], []),
        ({"requirements.txt": LOCK.replace("crivo-1-", "crivo-2-")}, [], []),
    ],
)
def test_a_stage_differs_by_what_it_uses(
    before: Tree, tmp_path: Path, changed: Mapping[str, str], one: list[str], two: list[str]
) -> None:
    after = write_tree(tmp_path, encoded(BEFORE | changed))
    assert differences(before, after, set(changed)) == {"one": one, "two": two}


def test_a_package_that_nobody_knows_may_need_any_other(tmp_path: Path) -> None:
    files = BEFORE | {"src/two.py": "import known_to_nobody\n"}
    before = write_tree(tmp_path / "before", encoded(files))
    lock = {"requirements.txt": LOCK.replace("typer==1", "typer==2")}
    after = write_tree(tmp_path / "after", encoded(files | lock))
    assert differences(before, after, set(lock)) == {"one": [], "two": ["typer==1.0 -> typer==2.0"]}


def test_a_stage_follows_those_whose_outputs_it_reads(tmp_path: Path) -> None:
    pipeline = write_tree(tmp_path, encoded(BEFORE)).pipeline
    assert inputs_made_by(pipeline, "one") == []
    assert inputs_made_by(pipeline, "two") == ["one"]


def encoded(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}
