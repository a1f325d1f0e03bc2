"""A stage reads of its project what its entry in dvc.yaml declares, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core import start
from crivo.core.declared import stage_entry
from crivo.repository.pipeline import read_pipeline

SRC = Path(start.__file__).parents[2]

PIPELINE = """\
stages:
  train:
    cmd: python src/train.py
    deps:
    - src/train.py
    - data/train.csv
    - data/raw/${dataset}:
    - lookups
    params:
    - dataset
    - more.yaml:
      - seed
    outs:
    - models/model.bin:
        cache: false
  evaluate:
    cmd: python src/evaluate.py
    deps:
    - data/valid.parquet
"""
BEGINNING = """\
if __name__ == "__main__":
    from crivo.core.start import start_stage

    start_stage()

"""
# Runs pieces of code, and prints as JSON what was said of each that was refused.
TRIES = """\
import json, os, sys
from pathlib import Path
from crivo.core.errors import CrivoError

said = {}
for name, lines in json.loads(Path(sys.argv[1]).read_text()).items():
    try:
        exec(lines, {"os": os, "Path": Path})
    except CrivoError as error:
        said[name] = str(error)
print(json.dumps(said))
"""
# How a model could read the validation rows; each path is `data/valid.<ending>`.
READS = {
    "open": "open('data/valid.csv')",
    "os.open": "os.open('data/valid.csv', os.O_RDONLY)",
    "pathlib": "Path('data/valid.csv').read_bytes()",
    "to change it": "open('data/valid.csv', 'r+')",
    "above": "open('../' + Path.cwd().name + '/data/valid.csv')",
    "absolute": "open(Path.cwd() / 'data/valid.csv')",
    "bytes": "open(b'data/valid.csv')",
    "a link to it": "open('link')",
    "io": "import io; io.FileIO('data/valid.csv')",
    "pandas read_csv": "import pandas; pandas.read_csv('data/valid.csv')",
    "read_csv by pyarrow": "import pandas; pandas.read_csv('data/valid.csv', engine='pyarrow')",
    "pandas read_parquet": "import pandas; pandas.read_parquet('data/valid.parquet')",
    "a folder": "import pandas; pandas.read_parquet('data/parts')",
    "np.load": "import numpy; numpy.load('data/valid.npy')",
    "np.fromfile": "import numpy; numpy.fromfile('data/valid.npy')",
    "np.memmap": "import numpy; numpy.memmap('data/valid.npy')",
    "joblib.load": "import joblib; joblib.load('data/valid.joblib')",
    "parquet.read_table": "import pyarrow.parquet as q; q.read_table('data/valid.parquet')",
    "by its own name": "from pyarrow.parquet import read_table as r; r(Path('data/parts'))",
    "ParquetFile": "import pyarrow.parquet as q; q.ParquetFile(source='data/valid.parquet')",
    "metadata": "import pyarrow.parquet as q; q.read_metadata('data/valid.parquet')",
    "read_schema": "import pyarrow.parquet as q; q.read_schema('data/valid.parquet')",
    "dataset": "import pyarrow.dataset as d; d.dataset(['data/valid.parquet'])",
    "arrow csv": "import pyarrow.csv as c; c.read_csv('data/valid.csv')",
    "feather": "import pyarrow.feather as f; f.read_table('data/valid.feather')",
    "memory_map": "import pyarrow; pyarrow.memory_map('data/valid.csv')",
    "sqlite": "import sqlite3; sqlite3.connect('data/valid.db')",
    "a forked process": "import multiprocessing as m\n"
    "with m.get_context('fork').Pool(1) as p: p.map(open, ['data/valid.csv'])",
    "a thread": "from concurrent.futures import ThreadPoolExecutor as T\n"
    "with T(1) as t: t.submit(open, 'data/valid.csv').result()",
    "another model": "open('models/other.bin')",
    "DVC's cache": "open('.dvc/cache/files/md5/ab/cd')",
    "data beside the code": "open('src/blocks/lookup.csv')",
    "an archived table": "import zipfile; zipfile.ZipFile('data/valid.zip')",
}  # fmt: skip
DECLARED = {
    "a dependency": "open('data/train.csv')",
    "the raw data by its setting": "open('data/raw/flights/a.csv')",
    "a file in a folder": "open('lookups/codes.csv')",
    "other settings": "open('more.yaml')",
    "an output": "open('models/model.bin', 'w').write('x'); open('models/model.bin').read()",
    "an earlier output": "open('models/model.bin').read()",
    "what it made itself": "open('scratch.txt', 'w').write('x'); open('scratch.txt').read()",
    "settings": "open('params.yaml'); open('dvc.yaml')",
    "the lock of packages": "open('requirements.txt')",
    "code": "open('src/blocks/model.py')",
    "DVC's listing of a folder": "open('.dvc/cache/files/md5/ab/cd.dir')",
    "git's record": "open('.git/HEAD'); open('data/raw/flights.dvc'); open('.dvc/.gitignore')",
    "what isn't there": "try: open('data/none.csv')\nexcept FileNotFoundError: pass",
    "elsewhere": "open(os.devnull); open('../elsewhere.csv')",
    "writing": "open('data/valid.csv', 'a').close()",
    "Parquet": "import pandas; pandas.read_parquet('lookups/codes.parquet')",
}

# The same by libraries that are extras; the module, and a call of it.
EXTRAS = {
    "lightgbm Dataset": "lightgbm; lightgbm.Dataset('data/valid.csv')",
    "lightgbm Dataset of a path": "lightgbm, pathlib\n"
    "lightgbm.Dataset(data=pathlib.Path('data/valid.csv'))",
    "lightgbm Dataset of parts": "lightgbm; lightgbm.Dataset(['data/valid.csv'])",
    "lightgbm by its own name": "lightgbm\nfrom lightgbm import Dataset as D; D('data/valid.csv')",
    "lightgbm Booster": "lightgbm; lightgbm.Booster(model_file='models/other.bin')",
    "lightgbm predict": "lightgbm, numpy as n\n"
    "rows = lightgbm.Dataset(n.arange(40.).reshape(20, 2), n.arange(20.))\n"
    "lightgbm.train({'verbose': -1}, rows, 1).predict('data/valid.csv')",
    "xgboost DMatrix": "xgboost; xgboost.DMatrix('data/valid.csv?format=csv')",
    "xgboost DMatrix of a URI": "xgboost; xgboost.DMatrix('file:data/valid.csv?format=csv')",
    "xgboost DMatrix with a cache": "xgboost\n"
    "xgboost.DMatrix(data='data/valid.csv?format=csv#scratch.cache')",
    "xgboost Booster": "xgboost; xgboost.Booster(model_file='models/other.bin')",
    "xgboost load_model": "xgboost; xgboost.Booster().load_model('models/other.bin')",
    "xgboost of scikit-learn": "xgboost; xgboost.XGBClassifier().load_model('models/other.bin')",
}
EXTRAS_DECLARED = {
    "lightgbm": "lightgbm, numpy as n\n"
    "lightgbm.Dataset('data/train.csv'); lightgbm.Dataset(n.arange(40.).reshape(20, 2))",
    "lightgbm of a text": "lightgbm, numpy as n\n"
    "rows = lightgbm.Dataset(n.arange(400.).reshape(200, 2), n.arange(200.))\n"
    "text = lightgbm.train({'verbose': -1}, rows, 30).model_to_string()\n"
    "assert len(text) > 5_000; lightgbm.Booster(model_str=text)",
    "xgboost": "xgboost, numpy as n\n"
    "xgboost.DMatrix('data/train.csv?format=csv'); xgboost.DMatrix(n.arange(40.).reshape(20, 2))",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("some") / "project"
    for name in (
        "data/parts/a.csv", "data/raw/flights/a.csv", "data/raw/flights.dvc", "data/train.csv",
        "data/valid.csv", "data/valid.db", "data/valid.zip", "data/valid.joblib", "dvc.lock",
        "data/valid.feather", ".dvc/cache/files/md5/ab/cd", ".git/HEAD", "lookups/codes.csv",
        ".dvc/cache/files/md5/ab/cd.dir",
        "models/model.bin", "models/other.bin", "more.yaml", "requirements.txt",
        "src/blocks/lookup.csv", "src/blocks/model.py", "src/blocks/__init__.py",
        "../elsewhere.csv", ".dvc/.gitignore",
    ):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("" if name.endswith(".py") else "a,b\n1,2\n")
    (folder / "dvc.yaml").write_text(PIPELINE)
    (folder / "params.yaml").write_text("dataset: flights\n")
    (folder / "src/crivo").symlink_to(SRC / "crivo")
    (folder / "link").symlink_to("data/valid.csv")
    np.save(folder / "data/valid.npy", np.arange(3))
    for name in ("data/valid.parquet", "data/parts/a.parquet", "lookups/codes.parquet"):
        pd.DataFrame({"a": [1]}).to_parquet(folder / name)
    return folder


def run(
    folder: Path, code: str, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    (folder / "src/train.py").write_text(BEGINNING + code, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "src/train.py", *arguments], cwd=folder, env={**os.environ, **variables},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def said(project: Path) -> dict[str, str]:
    """What was said of each piece of code that was refused."""
    pieces = project.with_name("pieces.json")
    pieces.write_text(json.dumps(READS | DECLARED))
    done = run(project, TRIES, str(pieces))
    assert done.returncode == 0, done.stderr
    refused: dict[str, str] = json.loads(done.stdout)
    return refused


@pytest.mark.parametrize("name", READS)
def test_what_a_stage_does_not_declare_it_cannot_read(said: dict[str, str], name: str) -> None:
    assert "which its entry in dvc.yaml doesn't declare" in said[name]


@pytest.mark.parametrize("name", DECLARED)
def test_what_a_stage_declares_it_reads(said: dict[str, str], name: str) -> None:
    assert name not in said


@pytest.fixture(scope="module")
def said_by_extras(project: Path) -> dict[str, str]:
    """What was said of each piece of code that reads by a library that not everyone has."""
    codes = (EXTRAS | EXTRAS_DECLARED).items()
    there = {k: f"import {v}" for k, v in codes if find_spec(k.split()[0]) is not None}
    pieces = project.with_name("extras.json")
    pieces.write_text(json.dumps(there))
    done = run(project, TRIES, str(pieces))
    assert done.returncode == 0, done.stderr
    refused: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return refused


@pytest.mark.parametrize("name", EXTRAS)
def test_an_extra_library_cannot_read_it_either(said_by_extras: dict[str, str], name: str) -> None:
    pytest.importorskip(name.split()[0])
    assert "which its entry in dvc.yaml doesn't declare" in said_by_extras.get(name, "")


@pytest.mark.parametrize("name", EXTRAS_DECLARED)
def test_an_extra_library_reads_what_is_declared(said_by_extras: dict[str, str], name: str) -> None:
    pytest.importorskip(name.split()[0])
    assert name not in said_by_extras


STAGE = """\
from crivo.core.ending import one_sentence
from crivo.core.reads import require_declared_reads
from blocks.peek import fit

with one_sentence("train", ""):
    fit()
    require_declared_reads()
"""


@pytest.mark.parametrize(
    "lines",
    ["open('data/valid.csv')", "try:\n        open('data/valid.csv')\n    except Exception: pass"],
    ids=["at once", "caught by the block"],
)
def test_the_stage_ends_with_a_sentence_that_says_where(project: Path, lines: str) -> None:
    (project / "src/blocks/peek.py").write_text(f"def fit():\n    {lines}\n")
    done = run(project, STAGE)
    assert done.returncode == 1
    line = 3 if "try" in lines else 2
    assert done.stderr == (
        f"train: the stage train reads data/valid.csv (src/blocks/peek.py, line {line}), which its "
        "entry in dvc.yaml doesn't declare; don't read it there, or add it to `deps` if the stage "
        "may know it.\n"
    )


def test_a_script_that_no_stage_runs_reads_nothing(project: Path, tmp_path: Path) -> None:
    pieces = tmp_path / "pieces.json"
    pieces.write_text(json.dumps({"a": "open('data/train.csv')"}))
    folder = shutil.copytree(project, tmp_path / "project", symlinks=True)
    (folder / "dvc.yaml").write_text("stages: {}\n")
    assert "no stage that runs src/train.py" in run(folder, TRIES, str(pieces)).stdout


def test_a_trial_cannot_read_the_files_of_its_workspace(project: Path, tmp_path: Path) -> None:
    """DVC makes trials in a folder of the workspace, whose data lie above them."""
    workspace = shutil.copytree(project, tmp_path / "project", symlinks=True)
    trial = workspace / ".dvc/tmp/exps/standalone/tmp1"
    shutil.copytree(project, trial, symlinks=True)
    pieces = tmp_path / "pieces.json"
    codes = {"own": "open('data/train.csv')"}
    codes |= {name: f"open('../../../../../{name}')" for name in ("data/train.csv", "params.yaml")}
    pieces.write_text(json.dumps(codes))
    said = json.loads(run(trial, TRIES, str(pieces)).stdout)
    assert said.keys() == {"data/train.csv", "params.yaml"}


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("{a: {cmd: python src/train.py}, b: {cmd: python src/train.py, deps: [y]}}", "b"),
        ("{b: {foreach: [1, 2], do: {cmd: 'python src/train.py ${item}', deps: [y]}}}", "b@1"),
        ("{b: {cmd: [python src/train.py], wdir: y, deps: ['${n}.csv'], vars: [{n: 1}]}}", None),
        ("{b: {cmd: python src/train.py, plots: [{y/1.csv: {x: a}}]}}", "other/dvc.yaml:b"),
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
        files = {*stage.deps, *(out.path for out in stage.outs), "dvc.yaml", "params.yaml"}
        assert set(stage_entry(root, f"src/{name}.py").files) == files
