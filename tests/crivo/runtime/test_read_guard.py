"""A stage reads of its project what its entry in dvc.yaml declares, and nothing else."""

import json
import re
import shutil
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pandas as pd
import pytest
from scipy.io import mmwrite
from tests.crivo.processes import python
from tests.crivo.runtime.test_start import BEGINNING, SRC

from crivo.core.errors import CrivoError
from crivo.core.parsing import read_yaml
from crivo.repository.pipeline import read_pipeline
from crivo.runtime.read_guard import stage_entry

SCRIPTS: dict[str, str] = read_yaml(Path(__file__).with_name("scripts.yaml"))
PIECES: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("pieces.yaml"))
BEGINS = "from crivo.runtime.messages import one_sentence\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("some") / "project"
    for name in (
        "data/parts/a.csv", "data/raw/flights/a.csv", "data/raw/flights.dvc", "data/train.csv",
        "data/valid.csv", "data/valid.db", "data/valid.zip", "data/valid.joblib", "dvc.lock",
        "data/valid.feather", ".dvc/cache/files/md5/ab/cd", ".git/HEAD", "lookups/codes.csv",
        "models/model.bin", "models/other.bin", "more.yaml", "requirements.txt",
        "src/blocks/lookup.csv", "src/blocks/model.py", "src/blocks/__init__.py",
        "../elsewhere.csv", ".dvc/.gitignore", ".dvc/config", ".dvc/config.local", ".dvcignore",
        ".gitattributes", "src/x.egg-info/PKG-INFO",
    ):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("" if name.endswith((".py", ".db")) else "a,b\n1,2\n")
    shutil.copy(Path(__file__).with_name("stages.yaml"), folder / "dvc.yaml")
    (folder / "params.yaml").write_text("dataset: flights\n")
    (folder / "src/crivo").symlink_to(SRC / "crivo")
    (folder / "link").symlink_to("data/valid.csv")
    (folder / "far").symlink_to("data/parts")
    np.save(folder / "data/valid.npy", np.arange(3))
    mmwrite(folder / "data/valid.mtx", [[1.0]])
    for name in ("data/valid.parquet", "data/parts/a.parquet", "lookups/codes.parquet"):
        pd.DataFrame({"a": [1]}).to_parquet(folder / name)
    return folder


def run(folder: Path, code: str, *arguments: str) -> CompletedProcess[str]:
    (folder / "src/train.py").write_text(BEGINNING + code, encoding="utf-8")
    return python("src/train.py", *arguments, folder=folder)


@pytest.fixture(scope="module")
def said(project: Path) -> dict[str, str]:
    """What was said of each piece of code that was refused."""
    pieces = project.with_name("pieces.json")
    pieces.write_text(
        json.dumps({key: code for part in PIECES.values() for key, code in part.items()})
    )
    done = run(project, SCRIPTS["tries"], str(pieces))
    assert done.returncode == 0, done.stderr
    refused: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return refused


@pytest.mark.parametrize("name", PIECES["refused"])
def test_what_a_stage_does_not_declare_it_cannot_read(said: dict[str, str], name: str) -> None:
    assert said[name].startswith("the stage train reads ")
    assert re.search(r"[\w)], which its entry in dvc.yaml doesn't declare;", said[name])
    assert "None" not in said[name]


@pytest.mark.parametrize("name", [*PIECES["read"], *PIECES["unseen"]])
def test_what_is_declared_or_not_seen_is_read(said: dict[str, str], name: str) -> None:
    assert name not in said


@pytest.mark.parametrize("lines", ["import blocks.hidden", "import blocks._package.deep"])
def test_code_that_a_stage_does_not_declare_it_cannot_import(project: Path, lines: str) -> None:
    for name in ("hidden", "_package/deep"):
        (project / f"src/blocks/{name}.py").parent.mkdir(exist_ok=True)
        (project / f"src/blocks/{name}.py").write_text("x = 1\n")
    module = lines.split()[-1].replace(".", "/")
    for again in range(2):  # then from byte code
        done = run(project, f"{BEGINS}{lines}\n")
        assert done.returncode == 1, again
        assert f"imports src/{module}.py (src/train.py, line 7)" in done.stderr
        assert f"add the line `- src/{module}.py` to its `deps`" in done.stderr


@pytest.mark.parametrize(
    "lines",
    ["open('data/valid.csv')", "try:\n        open('data/valid.csv')\n    except Exception: pass"],
    ids=["at once", "caught by the block"],
)
def test_the_stage_ends_with_a_sentence_that_says_where(project: Path, lines: str) -> None:
    (project / "src/blocks/peek.py").write_text(f"def fit():\n    {lines}\n")
    done = run(project, SCRIPTS["stage"])
    assert done.returncode == 1
    line = 3 if "try" in lines else 2
    assert done.stderr == (
        f"train: the stage train reads data/valid.csv (src/blocks/peek.py, line {line}), which its "
        "entry in dvc.yaml doesn't declare; don't read it there, or add the line `- "
        "data/valid.csv` to its `deps` if the stage is allowed to read it.\n"
    )


@pytest.mark.parametrize("text", ["[a]", "3", "stages: [a]", "stages: {a: 3, b: {do: }}"])
def test_a_script_that_no_stage_runs_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "dvc.yaml").write_text(text)
    with pytest.raises(CrivoError, match=r"no stage that runs src/train\.py"):
        stage_entry(tmp_path, "src/train.py")


def test_a_trial_cannot_read_the_files_of_its_workspace(project: Path, tmp_path: Path) -> None:
    """DVC makes trials in a folder of the workspace, whose data lie above them."""
    workspace = shutil.copytree(project, tmp_path / "project", symlinks=True)
    trial = workspace / ".dvc/tmp/exps/standalone/tmp1"
    shutil.copytree(project, trial, symlinks=True)
    pieces = tmp_path / "pieces.json"
    codes = {"own": "open('data/train.csv')"}
    names = ("data/train.csv", "params.yaml", "src/blocks/model.py", "dvc.lock")
    codes |= {name: f"open('../../../../../{name}')" for name in names}
    pieces.write_text(json.dumps(codes))
    said = json.loads(run(trial, SCRIPTS["tries"], str(pieces)).stdout)
    assert said.keys() == {*names[:3]}


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("{a: {cmd: python src/train.py}, b: {cmd: python src/train.py, deps: [y]}}", "b"),
        ("{b: {foreach: [1, 2], do: {cmd: 'python src/train.py ${item}', deps: [y]}}}", "b@1"),
        ("{b: {cmd: [python src/train.py], deps: ['y/${n}.csv'], vars: [{n: 1}]}}", None),
        ("{b: {cmd: python src/train.py, plots: [{y/1.csv: {x: a}}]}}", "other/dvc.yaml:b"),
        ("{a: , b: {cmd: python src/train.py, params: [{y/1.csv: , params.yaml: 3}]}}", None),
    ],
)  # fmt: skip
def test_the_entry_of_a_stage_is_found_as_dvc_has_it(
    tmp_path: Path, entry: str, name: str | None
) -> None:
    (tmp_path / "dvc.yaml").write_text(f"stages: {entry}\n")
    found = stage_entry(tmp_path, "src/train.py", name)
    assert found.name == "b"
    assert found.covers("y/1.csv")
    assert not found.covers("x")


def test_this_projects_entries_are_those_that_dvc_reads() -> None:
    root = SRC.parent
    for name, stage in read_pipeline(root, []).stages.items():
        files = {*stage.deps, *(out.path for out in stage.outs), "dvc.yaml"}
        assert set(stage_entry(root, f"src/{name}.py").files) == files
