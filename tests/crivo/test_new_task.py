"""A new kind of task is a class in two files and a file of metrics; nothing else is edited."""

import shutil
from pathlib import Path

from tests.crivo.processes import SRC, python

# A class, by the file that gets it, and by the line of the file's mapping that it comes before.
CLASSES = {
    ("core/tasks.py", "TASKS: dict"): """
class Count(Regression):
    pass


""",
    ("evaluation/rows.py", "ROWS: dict"): """
class Count(Regression):
    usual_of_labels = ("bias", "mae")


""",
}
METRICS = """
from crivo.evaluation.metrics import metric


@metric(task="count", direction="nearest", best=0)
def bias(rows):
    return rows.mean(rows.predicted - rows.target)


@metric(task="count", direction="lower", bounds=(0, None))
def mae(rows):
    return rows.mean(rows.absolute_errors)
"""

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
"""


def test_a_task_of_counts_is_two_classes_and_a_file(tmp_path: Path) -> None:
    """The models, the contracts, the reading of data and the report all take it."""
    shutil.copytree(SRC, tmp_path / "src")
    library = tmp_path / "src/crivo"
    (library / "evaluation/metrics/count.py").write_text(METRICS)
    for (name, mapping), text in CLASSES.items():
        before, start, entries = (library / name).read_text().partition(f"\n{mapping}")
        entries = entries.replace("= {", '= {\n    "count": Count,', 1)
        (library / name).write_text(f"{before}\n{text}{start}{entries}")
    done = python("-c", USE, folder=tmp_path, PYTHONPATH=str(tmp_path / "src"))
    assert done.stdout == "bias mae\n", done.stderr
