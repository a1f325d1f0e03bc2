"""A new kind of task is a few new files, and no file is edited."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"

FILES = {
    "crivo/core/tasks/count.py": """
from crivo.core.tasks.regression import Regression


class Count(Regression):
    name = "count"
""",
    "crivo/evaluation/tasks/count.py": """
from crivo.evaluation.tasks.regression import RegressionEvaluation


class CountEvaluation(RegressionEvaluation):
    name = "count"

    @classmethod
    def default_metrics(cls, scored):
        return ("bias", "mae")
""",
    "crivo/evaluation/metrics/count.py": """
from crivo.evaluation.metrics import metric


@metric(task="count", direction="nearest", best=0)
def bias(rows):
    return rows.mean(rows.predicted - rows.target)


@metric(task="count", direction="lower", bounds=(0, None))
def mae(rows):
    return rows.mean(rows.absolute_errors)
""",
}

COUNT, RANKS = "crivo/core/tasks/count.py", "crivo/core/tasks/ranks.py"
# A task without an evaluation.
UNKNOWN = {RANKS: FILES[COUNT].replace("count", "ranks").replace("Count", "Ranks")}

USE = '''
import sys
from collections.abc import Iterable
from pathlib import Path

from blocks.datasets.table import Table
from blocks.evaluators.standard import Standard
from blocks.models.boosting import Boosting
from crivo.core.schema import Schema
from crivo.comparison.external import evaluate_file
from crivo.testing import FakeModel, check_evaluator, check_model, example_predictions, example_rows
from crivo.testing import example_schema
from crivo.core.artifacts import SCHEMA, write_schema

PARAMS = """
seed: 1
dataset: table
splitter: by_time
featurizer: tabular
model: linear
baseline: prior
evaluator: standard
prepare: {}
train: {}
evaluate: {}
datasets: {table: {target: target}}
splitters: {by_time: {}}
featurizers: {tabular: {}}
models: {linear: {}, prior: {}}
evaluators: {standard: {}}
"""

schema = example_schema("count")
assert Schema(**schema.to_json()) == schema
check_model(FakeModel(), tasks=["count"])
check_evaluator(Standard(), tasks=["count"])
assert type(Boosting().build("count", 0)).__name__ == "HistGradientBoostingRegressor"
rows = example_rows("count").drop(columns="id").rename(columns={"target": "pieces sold"})
assert Table(target="pieces sold", task="count").schema(rows.assign(row_id="x")).task == "count"
path = Path(sys.argv[1], "predictions.csv")
example_predictions("count").to_csv(path, index=False)
write_schema(schema, path.parent / SCHEMA)
path.with_name("params.yaml").write_text(PARAMS)
found = evaluate_file(path, root=path.parent)
print(*found.evaluation.metrics.index, found.files["evaluation.json"]["task"], flush=True)
from crivo.evaluation.tasks import task_evaluation
task_evaluation("ranks")
'''


def test_a_task_of_counts_is_three_new_files(tmp_path: Path) -> None:
    """The models, the contracts, the reading of data and the report all take it.

    One that nobody evaluates yet says what is missing.
    """
    shutil.copytree(SRC, tmp_path / "src")
    for name, text in {**FILES, **UNKNOWN}.items():
        path = tmp_path / "src" / name
        assert not path.exists()
        path.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", USE, str(tmp_path)], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout == "bias mae count\n", done.stderr
    missing = "ranks has no evaluation; write src/crivo/evaluation/tasks/ranks.py"
    assert missing in done.stderr
