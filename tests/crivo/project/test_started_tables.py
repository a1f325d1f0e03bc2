"""A project is started on one's own table and runs."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.crivo.project.started import User, start
from tests.crivo.project.tables import KINDS, Kind

# A project runs its pipeline and some of its tests; minutes on a busy machine.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(900)]


def result_of(sample: Path) -> tuple[dict[str, float], str]:
    folder = sample / "metrics/evaluation"
    return json.loads((folder / "metrics.json").read_text()), (folder / "report.md").read_text()


def started(user: User, name: str, kind: Kind) -> User:
    """Start a project on a table of a kind, with the settings of that kind."""
    rows = kind.rows(np.random.default_rng(0))
    rows.to_csv(user.folder / f"{name}.csv", index=False, sep=";")
    project = start(user, name, "--data", f"{name}.csv", "--target", "y", *kind.options)
    params = project.folder / "params.yaml"
    text = params.read_text()
    for pattern, replacement in kind.changes:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    params.write_text(text)
    return project


@pytest.mark.parametrize("name", KINDS)
def test_a_fresh_project_passes_all_of_its_tests(user: User, name: str) -> None:
    project = started(user, name, KINDS[name])
    metrics, report = result_of(project.project_tests(""))
    if name == "numeric_time":  # a quantity, split by time
        assert "| R003 |" not in report
        assert metrics["rmse"] < metrics["baseline_rmse"]


FEATURIZER = '''"""The warmth of a day, beside what is there."""

from crivo.core.blocks import Featurizer, block
from crivo.featurization.typed import TypedColumns
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer


def add_squares(rows):
    """Return the rows with the square of a column."""
    return rows.assign(squared=rows["COLUMN"] ** 2)


@block
class NAME(Featurizer):
    """Adds a square."""

    NEEDS
    max_levels: int = 100

    def build(self, schema, seed):
        return make_pipeline(
            FunctionTransformer(add_squares),
            TypedColumns(numbers=["squared", "holiday"], categories=[]),
        )
'''
MODEL = '''"""Counts."""

from crivo.core.blocks import Model, block
from crivo.core.errors import CrivoError
from crivo.core.inputs import numeric_inputs
from sklearn.linear_model import PoissonRegressor
from sklearn.pipeline import make_pipeline


@block
class Counts(Model):
    """A Poisson regression."""

    smallest_target = 0
    max_depth: int = 4

    def build(self, task, seed):
        if task != "regression":
            raise CrivoError("The model counts is made for regression; choose another one.")
        return make_pipeline(numeric_inputs(), PoissonRegressor(alpha=0.1))
'''


def test_blocks_made_for_one_table_pass_and_broken_ones_fail_in_a_sentence(user: User) -> None:
    project = started(user, "own", KINDS["numeric_time"])
    for name, column, needs in (
        ("squares", "warm", ""),
        ("other_rows", "hr", 'needs = ("hr",)'),
        ("broken", "hr", ""),
    ):
        project.run("crivo", "new", "featurizer", name)
        text = FEATURIZER.replace("COLUMN", column).replace("NEEDS", needs)
        path = project.folder / f"src/blocks/featurizers/{name}.py"
        path.write_text(text.replace("NAME", name.title().replace("_", "")))
    project.run("crivo", "new", "model", "counts")
    (project.folder / "src/blocks/models/counts.py").write_text(MODEL)
    chosen = "squares or counts or other_rows or broken"
    test = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, "-rs")
    said = project.run(*test, fails=True)
    assert "made for rows with hr, which these rows lack" in said
    assert "it raised KeyError: 'hr'" in said
    assert "1 failed, 2 passed, 1 skipped" in said
