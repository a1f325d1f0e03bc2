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

USE = """
from blocks.datasets.table import Table
from blocks.evaluators.standard import Standard
from blocks.models.boosting import Boosting
from crivo.core.schema import Schema
from crivo.testing import FakeModel, check_evaluator, check_model, example_context
from crivo.testing import example_predictions, example_rows, example_schema

schema = example_schema("count")
assert Schema(**schema.to_json()) == schema
check_model(FakeModel(), tasks=["count"])
check_evaluator(Standard(), tasks=["count"])
assert type(Boosting().build("count", 0)).__name__ == "HistGradientBoostingRegressor"
rows = example_rows("count").drop(columns="id").rename(columns={"target": "pieces sold"})
assert Table(target="pieces sold", task="count").schema(rows.assign(row_id="x")).task == "count"
found = Standard().evaluate(example_predictions("count"), example_context("count"))
print(*found.metrics.index, flush=True)
from crivo.evaluation.tasks import task_evaluation
task_evaluation("ranks")
"""


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
        [sys.executable, "-c", USE], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout == "bias mae\n", done.stderr
    missing = "ranks has no evaluation; write src/crivo/evaluation/tasks/ranks.py"
    assert missing in done.stderr
