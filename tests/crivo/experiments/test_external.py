"""A file of predictions of each task has the metrics of the table that it holds."""

from pathlib import Path

import pandas as pd
import pytest

from blocks.evaluators.standard import Standard
from crivo.comparison.external import evaluate_file
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.testing import fakes
from tests.crivo.cli import invoke
from tests.crivo.settings import SMALL


def evaluated(table: pd.DataFrame, task: Task, folder: Path) -> dict[str, float]:
    """Return the metrics of a table in a project that has no prepared rows."""
    artifacts.write_json(folder / artifacts.SCHEMA, fakes.example_schema(task).to_json())
    (folder / "params.yaml").write_text(SMALL)
    table.to_csv(folder / "theirs.csv", index=False)
    found = evaluate_file(folder / "theirs.csv", root=folder)
    assert found.files["evaluation.json"]["task"] == task
    values: dict[str, float] = found.evaluation.metrics["value"].to_dict()
    return values


@pytest.mark.parametrize("task", fakes.TASKS)
def test_a_file_has_the_metrics_of_the_table_it_holds(task: Task, tmp_path: Path) -> None:
    """Scores alone say what is predicted."""
    table = fakes.example_predictions(task)
    own = Standard().evaluate(table, fakes.example_context(task)).metrics["value"].to_dict()
    assert evaluated(table, task, tmp_path) == pytest.approx(own, rel=1e-12)
    if task != "regression":
        scores = table.drop(columns="prediction")
        assert evaluated(scores, task, tmp_path) == pytest.approx(own, rel=1e-12)


def test_of_prepared_rows_a_file_needs_only_ids_and_predictions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table, prepared = fakes.example_predictions(), tmp_path / artifacts.prepared("valid")
    prepared.parent.mkdir(parents=True)
    artifacts.write_table(prepared, fakes.example_rows())
    own = Standard().evaluate(table, fakes.example_context()).metrics["value"].to_dict()
    few = table[["id", "prediction", "score"]]
    assert evaluated(few, "binary", tmp_path) == pytest.approx(own, rel=1e-12)
    found = evaluate_file(tmp_path / "theirs.csv", root=tmp_path)
    assert (found.split, found.baseline) == ("valid", None)
    command = ["evaluate", "--predictions", "theirs.csv", "--output", "out"]
    first, auc, *_, last = invoke(*command).output.splitlines()
    assert first.split() == ["metric", "of", "value", "se", "low", "high", "verdict"]
    assert auc.split()[:3] == ["roc_auc", "model", f"{own['roc_auc']:.3f}"]
    assert last == "All files are in out; open out/report.html in a browser."
    assert {one.name for one in Path("out").iterdir()} >= {"report.html", "evaluation.json"}
    evaluated(table[1:], "binary", tmp_path)
    assert evaluate_file(tmp_path / "theirs.csv", root=tmp_path).split == "file"
    with pytest.raises(CrivoError, match=f"for {len(table) - 1} of {len(table)} rows; 'r00000'"):
        evaluated(few[1:], "binary", tmp_path)
    with pytest.raises(CrivoError, match="aren't those that data/prepared has for the same ids"):
        evaluated(table.assign(target=~table["target"]), "binary", tmp_path)


def test_without_predictions_or_all_scores_it_is_refused(tmp_path: Path) -> None:
    lines = pd.DataFrame({"id": [1, 2], "target": [1.5, 2.5]})
    with pytest.raises(CrivoError, match="lacks the column prediction"):
        evaluated(lines, "regression", tmp_path)
    classes = pd.DataFrame({"id": [1, 2], "target": ["a", "b"], "score": [1, 0]})
    with pytest.raises(CrivoError, match="prediction; .* or give all scores: score_high, "):
        evaluated(classes, "multiclass", tmp_path)


def test_numbers_may_have_decimal_commas_as_a_table_may(tmp_path: Path) -> None:
    table = fakes.example_predictions("regression").assign(slice_size=0.5)
    numbers = table.select_dtypes("number").columns
    commas = table.copy().astype(dict.fromkeys(numbers, "object"))
    commas[numbers] = table[numbers].map(lambda one: repr(one).replace(".", ","))
    given, own = (evaluated(one, "regression", tmp_path) for one in (commas, table))
    assert given == pytest.approx(own, rel=1e-12)
