"""`crivo new` writes a block that works as it is, and refuses names that can't be."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from ruamel.yaml import YAML
from tests.crivo import forked
from tests.crivo.pipeline.project import environment

from crivo.core.blocks import KINDS, RawContext
from crivo.core.errors import CrivoError
from crivo.project.new import new_block

ROOT = Path(__file__).parents[3]
NEW_KINDS = ["dataset", "splitter", "featurizer", "model", "evaluator", "metric", "check"]
# What stands beside a block of the same name in the generated project.
NAMES = {"metric": "far_off"}
FOLDERS = {kind: folder for kind, (folder, _) in KINDS.items()} | {
    "metric": "metrics",
    "check": "checks",
}

PARAMS = """\
# Every setting.
seed: 13
splitter: by_time
featurizer: flights
evaluate:
  cluster: date
datasets:
  flights:
    late_minutes: 15  # after schedule
splitters:
  by_time:
    valid_from: '2013-09-01'
featurizers:
  flights: {}
models:
  prior: {}

# What evaluates.
evaluators:
  standard:
    share: 0.1
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The outline of a project, without any block."""
    (tmp_path / "params.yaml").write_text(PARAMS, encoding="utf-8")
    for folder in FOLDERS.values():
        (tmp_path / "src" / "blocks" / folder).mkdir(parents=True, exist_ok=True)
    return tmp_path


def files(project: Path) -> list[str]:
    return sorted(p.relative_to(project).as_posix() for p in project.rglob("*") if p.is_file())


def test_a_new_block_has_a_file_and_a_section(project: Path) -> None:
    made = new_block("model", "tree", project)
    written = ["src/blocks/models/tree.py", "params.yaml"]
    assert [path.as_posix() for path in made.written] == written
    assert files(project) == sorted(written)
    values = YAML(typ="safe").load(project / "params.yaml")
    assert values["models"] == {"prior": {}, "tree": {"max_depth": 4}}
    section = "  tree:\n    # FILL IN: what the setting means.\n    max_depth: 4\n\n"
    before, after = PARAMS.split("\n# What evaluates")
    text = f"{before}{section}# What evaluates{after}"
    assert (project / "params.yaml").read_text(encoding="utf-8") == text


def test_the_next_steps_are_commands(project: Path) -> None:
    assert new_block("model", "tree", project).next_steps == (
        "python -m pytest tests/project/test_blocks.py -k tree",
        "git add src/blocks/models/tree.py params.yaml",
        "crivo try model=tree",
    )


def test_a_new_dataset_comes_with_rows_and_settings_that_suit_them(project: Path) -> None:
    made = new_block("dataset", "sales", project)
    assert (project / "data/raw/sales/rows.csv").read_text().startswith("id,date,shop,amount,")
    assert made.next_steps[1:] == (
        "dvc add data/raw/sales",
        "git add src/blocks/datasets/sales.py params.yaml data/raw/sales.dvc data/raw/.gitignore",
        "crivo try dataset=sales splitter=at_random featurizer=tabular evaluate.cluster=null",
    )


def test_a_new_dataset_shows_how_new_raw_rows_become_rows(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file with the features alone, without what is known afterwards."""
    made = new_block("dataset", "sales", project)
    spec = importlib.util.spec_from_file_location("sales", project / made.written[0])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "sales", module)
    spec.loader.exec_module(module)
    block, folder = module.Sales(), project / "data/raw/sales"
    rows = block.load(folder)
    schema = block.schema(rows)
    columns = list(block.raw_columns(schema))
    block.read_raw(folder)[columns].to_csv(project / "new.csv", index=False)
    new_rows = block.rows_from_raw(block.read_raw(project / "new.csv"), RawContext(schema, folder))
    assert columns == ["amount", "pieces", "kind", "member"]
    pd.testing.assert_frame_equal(new_rows, rows[columns])


REFUSED = [
    ("model", "My-Tree", "such as my_tree"),
    ("model", "2trees", "such as trees"),
    ("model", "árvore", "lower-case letters"),
    ("model", "", "lower-case letters"),
    ("model", "lambda", "word of Python's or YAML's own"),
    ("model", "yes", "word of Python's or YAML's own"),
    ("model", "t" * 31, "Take 30 lower-case letters"),
    ("model", "model", "would name the class Model, which the file imports"),
    ("dataset", "path", "would name the class Path, which the file imports"),
    ("baseline", "tree", "isn't a kind of block; there are: dataset, splitter"),
    ("model", "prior", "has a section models.prior already"),
]


@pytest.mark.parametrize(("kind", "name", "sentence"), REFUSED)
def test_a_name_that_can_not_be_is_refused_and_nothing_written(
    project: Path, kind: str, name: str, sentence: str
) -> None:
    before = files(project)
    with pytest.raises(CrivoError, match=sentence):
        new_block(kind, name, project)
    assert files(project) == before
    assert (project / "params.yaml").read_text(encoding="utf-8") == PARAMS


@pytest.mark.parametrize(
    "taken",
    ["src/blocks/datasets/sales.py", "data/raw/sales.dvc"],
)
def test_no_file_is_ever_overwritten(project: Path, taken: str) -> None:
    (project / taken).parent.mkdir(parents=True, exist_ok=True)
    (project / taken).write_text("precious")
    with pytest.raises(CrivoError, match=f"{taken} already exists"):
        new_block("dataset", "sales", project)
    assert (project / taken).read_text() == "precious"


def test_outside_a_project_it_says_where_to_go(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match="run this in the project's folder"):
        new_block("model", "tree", tmp_path)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with a new block of each kind, under a short and a long name."""
    folder = tmp_path_factory.mktemp("generated")
    # With the byte code: nothing need be compiled again.
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    for name in ("params.yaml", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    for kind in NEW_KINDS:
        new_block(kind, NAMES.get(kind, "x"), folder)
        new_block(kind, f"{kind}_".ljust(30, "y"), folder)
    return folder


def run(folder: Path, *command: str) -> str:
    """Run Python with the folder's code, and return what it printed."""
    env = forked.in_forks(environment(PYTHONPATH=str(folder / "src")))
    how = "-m" if len(command) > 1 else "-c"
    done = subprocess.run(
        ["python", how, *command], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


CONTRACTS = """\
from crivo.testing import *

check_dataset(make_block("dataset", "x", {}), "data/raw/x")
check_splitter(make_block("splitter", "x", {}))
check_featurizer(make_block("featurizer", "x", {}))
check_model(make_block("model", "x", {}))
check_evaluator(make_block("evaluator", "x", {}))
check_metric("far_off")
check_check("x")
print("kept")
"""


def test_as_generated_every_block_keeps_its_contract(generated: Path) -> None:
    assert run(generated, CONTRACTS) == "kept\n"


def test_as_generated_the_code_is_in_the_house_s_style(generated: Path) -> None:
    written = [f"src/blocks/{FOLDERS[kind]}" for kind in NEW_KINDS]
    run(generated, "ruff", "check", "--no-cache", *written)
    run(generated, "ruff", "format", "--no-cache", "--check", *written)


def test_as_generated_the_settings_are_accepted_without_a_heavy_library(generated: Path) -> None:
    """Every stage checks all settings, those of blocks not in use too."""
    code = (
        "import sys; from crivo.core.params import read_params; read_params()\n"
        "print([name for name in ('sklearn', 'scipy', 'skrub') if name in sys.modules])"
    )
    assert run(generated, code).strip() == "[]"
