"""`crivo new` writes a block that works as it is, and refuses names that can't be."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.crivo import forked
from tests.crivo.pipeline.project import environment
from tests.crivo.schemas import few_columns

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.project.new import new_block

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


CHOSEN = PARAMS.replace("    share: 0.1\n", "    share: 0.1\n    metrics: [recall, brier]\n")
TASK = "dataset: a\ndatasets: {a: {task: regression}}\n"
# A new block, and what is there before it.
CASES: dict[str, dict[str, str]] = {
    "model tree": {},
    "model tree without settings": {"params.yaml": ""},
    "dataset sales": {},
    "splitter by_shop": {},
    "featurizer squares": {},
    "evaluator costs": {},
    "metric late": {"params.yaml": CHOSEN},
    "metric late without settings": {"params.yaml": ""},
    "metric far for numbers": {"params.yaml": TASK},
    "metric far for prepared numbers": {
        "params.yaml": "dataset: a\n",
        "data/prepared/schema.json": few_columns().model_dump_json(),
    },
    "check late": {},
    "check late after another": {f"src/blocks/checks/{one}.py": "" for one in ("first", "_own")},
}
IGNORED = shutil.ignore_patterns("*-*")
FILLED = r"class |@(check|metric)|def (late|far)|    return rows\.mean|id,|r00001,"
NEW = Path(__file__).with_name("new.txt").read_text(encoding="utf-8")


def test_a_new_block_has_files_a_section_and_commands_to_go_on_with(project: Path) -> None:
    told = ""
    for case, before in CASES.items():
        folder = Path(shutil.copytree(project, project / case.replace(" ", "-"), ignore=IGNORED))
        for path, text in before.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        kind, name, *_ = case.split()
        made = new_block(kind, name, folder)
        told += f"## {case}\n"
        for path in made.written:
            lines = (folder / path).read_text(encoding="utf-8").splitlines()
            if path.suffix != ".yaml":  # of a template, what depends on the name and the task
                lines = [line for line in lines if re.match(FILLED, line)]
            told += "\n".join([f"# {path}", *lines, ""])
        told += "".join(f"$ {step}\n" for step in made.next_steps)
        assert len(files(folder)) == len({"params.yaml", *before, *map(str, made.written)})
    assert told == NEW


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
