"""`crivo new` writes a block that works as it is, and refuses names that can't be."""

import shutil
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.crivo import forked
from tests.crivo.pipeline.project import environment
from tests.crivo.schemas import few_columns

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.project.new import new_block
from crivo.repository.overrides import with_changes

ROOT = Path(__file__).parents[3]
NEW_KINDS = ["dataset", "splitter", "featurizer", "model", "evaluator", "metric", "check"]
# What stands beside a block of the same name in the generated project.
NAMES = {"metric": "far_off"}
FOLDERS = {kind: folder for kind, (folder, _) in KINDS.items()}
FOLDERS |= {"metric": "metrics", "check": "checks"}

PARAMS = """\
# Every setting.
splitter: by_time
featurizer: flights
evaluate:
  cluster: date
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


def test_a_new_block_has_a_file_a_section_and_commands_to_go_on_with(project: Path) -> None:
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
    assert made.next_steps == (
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
        "crivo try dataset=sales splitter=at_random featurizer=tabular evaluate.cluster=null "
        "'evaluate.slices=[]'",
    )


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        ("metric", "++evaluators.standard.metrics=[recall, brier, late]"),
        ("check", "++evaluate.checks=[late]"),
    ],
)
def test_a_new_function_is_tried_by_the_setting_that_names_it_beside_the_others(
    kind: str, setting: str, project: Path
) -> None:
    chosen = "    share: 0.1\n    metrics: [recall, brier]\n"
    (project / "params.yaml").write_text(PARAMS.replace("    share: 0.1\n", chosen))
    assert new_block(kind, "late", project).next_steps[-1] == f"crivo try '{setting}'"
    given = project / "own.yaml"
    given.write_text("evaluators: {standard: {}}\nevaluate: {checks: []}\n", encoding="utf-8")
    assert "late" in str(with_changes(given, [setting]))
    text = (project / f"src/blocks/{FOLDERS[kind]}/late.py").read_text()
    assert '@check("X001", ' in text or '@metric(task="binary", ' in text


def test_a_new_check_has_the_next_code_and_a_new_metric_the_project_s_task(project: Path) -> None:
    for name in ("first", "_shared"):
        (project / f"src/blocks/checks/{name}.py").touch()
    new_block("check", "late", project)
    assert '@check("X002", ' in (project / "src/blocks/checks/late.py").read_text()
    schema = few_columns().model_dump_json()
    tasks = ("dataset: a\ndatasets: {a: {task: regression}}\n", ""), ("dataset: a\n", schema)
    for number, (settings, prepared) in enumerate(tasks):
        (project / "params.yaml").write_text(settings)
        (project / "data/prepared").mkdir(parents=True, exist_ok=True)
        if prepared:
            (project / "data/prepared/schema.json").write_text(prepared)
        tried = new_block("metric", f"far_{number}", project).next_steps[-1]
        assert tried == f"crivo try '++evaluators.standard.metrics=[rmse, mae, r2, far_{number}]'"
        text = (project / f"src/blocks/metrics/far_{number}.py").read_text()
        assert '@metric(task="regression", ' in text
        assert "(rows: Any, tolerance: float = 0.5) -> float:" in text
        assert "rows.mean(abs(rows.target - rows.predicted) > tolerance)" in text


def test_without_any_setting_a_block_is_written_too(project: Path) -> None:
    (project / "params.yaml").write_text("")
    new_block("model", "tree", project)
    assert "  tree:\n" in (project / "params.yaml").read_text()
    tried = new_block("metric", "late", project).next_steps[-1]
    assert "metrics=[roc_auc, " in tried
    assert tried.endswith(", late]'")


REFUSED = [
    ("model", "My-Tree", "lower-case letters"),
    ("model", "2trees", "beginning with a letter"),
    ("model", "árvore", "lower-case letters"),
    ("model", "lambda", "reserved word of Python or YAML"),
    *(
        ("model", word, "reserved word of Python or YAML")
        for word in ("y", "n", "yes", "no", "on", "off", "true", "false", "null")
    ),
    ("metric", "recall", "There is a metric recall already"),
    ("model", "t" * 31, "Use at most 30 lower-case letters"),
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


@pytest.mark.parametrize("kind", ["model", "metric"])
def test_settings_that_can_not_be_read_are_named(project: Path, kind: str) -> None:
    (project / "params.yaml").write_text("seed: [\n")
    with pytest.raises(CrivoError, match="params.yaml isn't valid YAML"):
        new_block(kind, "tree", project)


@pytest.mark.parametrize("taken", ["src/blocks/datasets/sales.py", "data/raw/sales.dvc"])
def test_no_file_is_ever_overwritten(project: Path, taken: str) -> None:
    (project / taken).parent.mkdir(parents=True, exist_ok=True)
    (project / taken).write_text("precious")
    with pytest.raises(CrivoError, match=f"{taken} already exists"):
        new_block("dataset", "sales", project)
    with pytest.raises(CrivoError, match="run this in the project's folder"):
        new_block("model", "tree", project / taken)
    assert (project / taken).read_text() == "precious"


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
    done = subprocess.run(["python", *command], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# A dataset's contract makes rows of new raw rows, too. Every stage checks all settings.
CONTRACTS = """\
import sys

from crivo.core.params import read_params

read_params()
assert not {"sklearn", "scipy", "skrub"} & {*sys.modules}, "a heavy library at the top of a file"

from crivo.testing import *

dataset = make_block("dataset", "x", {})
columns = dataset.raw_columns(dataset.schema(dataset.load(RAW)))
assert [*columns] == ["amount", "pieces", "kind", "member"]
check_dataset(dataset, RAW)
check_splitter(make_block("splitter", "x", {}), tasks=["binary"])
check_featurizer(make_block("featurizer", "x", {}))
check_model(make_block("model", "x", {}), tasks=["multiclass"])
check_evaluator(make_block("evaluator", "x", {}), tasks=["regression"])
check_metric("far_off")
check_check("x")
print("kept")
"""


def test_as_generated_every_block_keeps_its_contract(generated: Path) -> None:
    code = f"from pathlib import Path; RAW = Path('data/raw/x')\n{CONTRACTS}"
    assert run(generated, "-c", code) == "kept\n"


def test_as_generated_the_code_is_in_the_house_s_style(generated: Path) -> None:
    written = [f"src/blocks/{FOLDERS[kind]}" for kind in NEW_KINDS]
    run(generated, "-m", "ruff", "check", "--no-cache", *written)
    run(generated, "-m", "ruff", "format", "--no-cache", "--check", *written)
