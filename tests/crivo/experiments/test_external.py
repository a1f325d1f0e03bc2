"""A file of predictions of each task has the metrics of the table that it holds."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from blocks.evaluators.standard import Standard
from crivo.comparison import external
from crivo.comparison.external import evaluate_file, read_predictions
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.evaluation.assess import intervals_table
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
    assert evaluated(few.drop(columns="prediction"), "binary", tmp_path) == pytest.approx(own)
    assert evaluated(few, "binary", tmp_path) == pytest.approx(own, rel=1e-12)
    found = evaluate_file(tmp_path / "theirs.csv", root=tmp_path)
    assert (found.split, found.baseline) == ("valid", None)
    names = {"id": "order", "target": "y", "prediction": "guess", "score": "p"}
    table.rename(columns=names).to_csv("theirs.csv", index=False)
    options = [word for name, given in names.items() for word in (f"--{name}", given)]
    command = ["evaluate", "--predictions", "theirs.csv", "--output", "out", *options]
    first, auc, *_, last = invoke(*command).output.splitlines()
    assert re.fullmatch(r"metric +of     value     se    low   high  verdict", first)
    assert re.match(rf"roc_auc +model  {own['roc_auc']:.3f}  0\.", auc)
    assert last == "All files are in out; open out/report.html in a browser."
    assert {one.name for one in Path("out").iterdir()} >= {"report.html", "evaluation.json"}
    assert "already exists; --force replaces it" in invoke(*command).output
    document = json.loads(invoke(*command, "--force", "--json").stdout)
    assert (document["command"], document["about"]["split"]) == ("evaluate", "valid")
    evaluated(table[1:], "binary", tmp_path)
    assert evaluate_file(tmp_path / "theirs.csv", root=tmp_path).split == "file"
    with pytest.raises(CrivoError, match=f"for {len(table) - 1} of {len(table)} rows; 'r00000'"):
        evaluated(few[1:], "binary", tmp_path)
    with pytest.raises(CrivoError, match="its ids are not those of data/prepared; add the col"):
        evaluated(few.assign(id="x" + few["id"]), "binary", tmp_path)
    with pytest.raises(CrivoError, match="aren't those that data/prepared has for the same ids"):
        evaluated(table.assign(target=~table["target"]), "binary", tmp_path)


def test_a_part_of_prepared_rows_has_their_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, rows = fakes.example_predictions(), fakes.example_rows()
    for path in (artifacts.prepared("valid"), artifacts.features("valid"), artifacts.BASELINE):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        artifacts.write_table(tmp_path / path, rows)
    monkeypatch.setattr(external, "load_model", lambda _: table.assign(score=0.5))
    monkeypatch.setattr(external.Predicting, "table", lambda _, model, *__: model)
    evaluated(table[3:], "binary", tmp_path)
    found = evaluate_file(tmp_path / "theirs.csv", root=tmp_path)
    told = intervals_table(found.evaluation).set_index(["of", "metric"])["value"]
    assert (found.split, found.baseline, told["baseline", "roc_auc"]) == ("file", "prior", 0.5)
    assert (found.dataset, found.about["environment"]) == ("table", "unknown")
    monkeypatch.setattr(external.Predicting, "table", lambda *_: int("x"))
    said = "baseline.skops doesn't fit the rows of data/features (ValueError: invalid literal for"
    with pytest.raises(CrivoError, match=re.escape(said)):
        evaluated(table, "binary", tmp_path)


def test_without_predictions_or_all_scores_it_is_refused(tmp_path: Path) -> None:
    lines = pd.DataFrame({"id": [1, 2], "target": [1.5, 2.5]})
    with pytest.raises(CrivoError, match="lacks the column prediction"):
        evaluated(lines, "regression", tmp_path)
    classes = pd.DataFrame({"id": [1, 2], "target": ["a", "b"], "score": [1, 0]})
    with pytest.raises(CrivoError, match="prediction; .* or give all scores: score_high, "):
        evaluated(classes, "multiclass", tmp_path)


def test_numbers_may_have_decimal_commas_as_a_table_may(tmp_path: Path) -> None:
    """A column of points is one of texts, and so is that of ids; empty cells are missing."""
    table = fakes.example_predictions("regression").assign(slice_size=0.5)
    numbers = table.select_dtypes("number").columns
    commas = table.copy().astype(dict.fromkeys(numbers, "object"))
    commas[numbers] = table[numbers].map(lambda one: repr(one).replace(".", ","))
    given, own = (evaluated(one, "regression", tmp_path) for one in (commas, table))
    assert given == pytest.approx(own, rel=1e-12)
    few = {"id": ["1,5", "2,5"], "slice_a": ["1.25", "3"], "slice_b": ["", "2,5"], "score": "0,5"}
    pd.DataFrame(few).to_csv(tmp_path / "few.csv", index=False)
    read = read_predictions(tmp_path / "few.csv", {}).astype(object)
    values = {
        "id": ["1,5", "2,5"],
        "slice_a": [1.25, 3],
        "slice_b": [None, 2.5],
        "score": [0.5, 0.5],
    }
    assert read.where(read.notna(), None).to_dict("list") == values


def test_the_named_columns_replace_those_that_have_our_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,order,score\na,b,x\n")
    both = read_predictions(path, {"id": "order", "target": "id"})
    assert both.to_dict("list") == {"target": ["a"], "id": ["b"], "score": ["x"]}
    one = read_predictions(path, {"id": "order"})
    assert one.to_dict("list") == {"id": ["b"], "score": ["x"]}
