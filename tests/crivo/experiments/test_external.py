"""A file of predictions, whoever made it, is evaluated as the pipeline evaluates its own."""

from pathlib import Path

import pandas as pd
import pytest

from blocks.evaluators.standard import Standard
from crivo.comparison.external import evaluate_file
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.evaluation.evaluate import Result
from crivo.modelfile.canonical import save_model
from crivo.testing.examples import (
    TASKS,
    example_context,
    example_features,
    example_predictions,
    example_rows,
    example_schema,
)

PARAMS = """seed: 1
dataset: table
splitter: by_time
featurizer: tabular
model: linear
baseline: prior
evaluator: standard
prepare: {}
train: {}
evaluate:
  cluster: shop
  slices:
  - kind
  value:
    true_positive: 3
    false_positive: -1
datasets:
  table:
    target: target
splitters:
  by_time: {}
featurizers:
  tabular: {}
models:
  linear: {}
  prior: {}
evaluators:
  standard:
    primary: log_loss
    metrics:
    - roc_auc
"""

# No settings but the standard ones.
PLAIN = (
    PARAMS.partition("evaluate:")[0]
    + "evaluate: {}\n"
    + PARAMS[PARAMS.index("datasets:") : PARAMS.index("  standard:")]
    + "  standard: {}\n"
)


def file_of(table: pd.DataFrame, folder: Path, name: str = "predictions.csv") -> Path:
    path = folder / name
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)
    return path


def evaluate_table(table: pd.DataFrame, folder: Path, **more: object) -> Result:
    return evaluate_file(file_of(table, folder), root=folder, **more)


def values(result: Result) -> dict[str, float]:
    return result.evaluation.metrics["value"].to_dict()


def own(task: Task) -> dict[str, float]:
    """Return the values that the standard evaluator gives without a baseline."""
    return (
        Standard()
        .evaluate(example_predictions(task), example_context(task))
        .metrics["value"]
        .to_dict()
    )


def write_schema(task: Task, folder: Path) -> None:
    """Write what a project without prepared rows knows of its task, with the standard settings."""
    artifacts.write_schema(example_schema(task), folder / artifacts.SCHEMA)
    (folder / "params.yaml").write_text(PLAIN)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project whose validation rows are the example's, with a trained baseline."""
    from sklearn.dummy import DummyClassifier

    rows = example_rows("binary")
    features = example_features(rows)
    artifacts.write_table(tmp_path / artifacts.prepared("valid"), rows)
    artifacts.write_table(tmp_path / artifacts.features("valid"), features)
    artifacts.write_schema(example_schema("binary"), tmp_path / artifacts.SCHEMA)
    prior = DummyClassifier(strategy="prior").fit(features, rows["target"])
    save_model(tmp_path / artifacts.BASELINE, prior)
    (tmp_path / "params.yaml").write_text(PARAMS)
    return tmp_path


@pytest.mark.parametrize("form", ["predictions.csv", "predictions.parquet"])
@pytest.mark.parametrize("task", TASKS)
def test_a_file_has_the_metrics_of_the_table_it_holds(
    task: Task, form: str, tmp_path: Path
) -> None:
    write_schema(task, tmp_path)
    path = file_of(example_predictions(task), tmp_path, form)
    found = evaluate_file(path, root=tmp_path)
    assert found.files["evaluation.json"]["task"] == task
    assert values(found) == pytest.approx(own(task), rel=1e-12)


def test_scores_alone_are_enough(tmp_path: Path) -> None:
    for task in ("binary", "multiclass"):
        write_schema(task, tmp_path)
        scores = example_predictions(task).drop(columns="prediction")
        assert values(evaluate_table(scores, tmp_path)) == pytest.approx(own(task), rel=1e-12)


def test_what_the_file_lacks_comes_from_the_project(project: Path) -> None:
    scores = example_predictions("binary")[["id", "score"]]
    found = evaluate_table(scores, project)
    rows = example_rows("binary").set_index("id")
    table = found.files["predictions.parquet"].set_index("id")
    assert table["target"].tolist() == rows.loc[table.index, "target"].tolist()
    assert table["cluster"].tolist() == rows.loc[table.index, "shop"].tolist()
    assert list(values(found)) == ["log_loss", "roc_auc"]
    assert found.evaluation.baseline.loc["log_loss", "value"] > values(found)["log_loss"]
    assert found.files["metrics.json"]["value_per_1000"] > 0
    assert found.files["metrics.json"]["verdict_against"] == "prior"
    assert found.files["evaluation.json"]["split"] == "valid"
    assert "kind = a" in set(found.files["slices.csv"]["slice"])
    assert "remark" in found.files["errors/worst.csv"]


def test_some_rows_with_their_targets_are_no_side_of_the_split(project: Path) -> None:
    table = example_predictions("binary")[["id", "target", "score"]].iloc[:200]
    found = evaluate_table(table, project)
    assert found.files["evaluation.json"]["split"] == "file"
    assert found.files["evaluation.json"]["n_rows"] == 200


def test_some_rows_without_targets_are_refused(project: Path) -> None:
    table = example_predictions("binary")[["id", "score"]].iloc[:200]
    with pytest.raises(CrivoError, match="200 of 240 rows; 'r00200', for example, has none"):
        evaluate_table(table, project)


def test_rows_that_the_project_does_not_know_stand_for_themselves(project: Path) -> None:
    table = example_predictions("binary").assign(id=lambda t: "x" + t["id"])
    found = evaluate_table(table, project)
    assert values(found) == pytest.approx({name: own("binary")[name] for name in values(found)})
    assert list(values(found)) == ["log_loss", "roc_auc"]
    assert found.evaluation.baseline.empty
    with pytest.raises(CrivoError, match="no target .* not those of data/prepared"):
        evaluate_table(table.drop(columns="target"), project)


def test_rows_of_the_project_with_other_targets_are_refused(project: Path) -> None:
    table = example_predictions("binary").assign(target=lambda t: ~t["target"].astype(bool))
    with pytest.raises(CrivoError, match="targets aren't those that data/prepared has"):
        evaluate_table(table, project)


@pytest.mark.parametrize(
    ("task", "table", "sentence"),
    [
        (
            "binary",
            pd.DataFrame({"target": [1], "prediction": [1]}),
            "lacks the column id .*--id",
        ),
        (
            "regression",
            pd.DataFrame({"id": [1, 2], "target": [1.5, 2.5]}),
            "lacks the column prediction",
        ),
        (
            "multiclass",
            pd.DataFrame({"id": [1, 2], "target": ["a", "b"], "score": [1, 0]}),
            "neither predictions nor all scores of a multiclass task .score_",
        ),
        (
            "binary",
            pd.DataFrame({"id": [1, 2], "target": [1, 0], "prediction": [1, ""]}),
            "1 rows without a prediction",
        ),
        (
            "binary",
            pd.DataFrame({"id": [1, 2], "target": ["a", "b"], "prediction": ["a", "b"]}),
            "isn't a class; the classes are False, True",
        ),
    ],
)
def test_a_file_that_says_too_little_is_refused(
    task: Task, table: pd.DataFrame, sentence: str, tmp_path: Path
) -> None:
    write_schema(task, tmp_path)
    with pytest.raises(CrivoError, match=sentence):
        evaluate_table(table, tmp_path)


def test_it_needs_a_project_and_one_of_two_splits(tmp_path: Path) -> None:
    table = example_predictions("binary")
    with pytest.raises(CrivoError, match="run this in a project's folder"):
        evaluate_table(table, tmp_path)
    with pytest.raises(CrivoError, match="--split is 'train'; expected valid or test"):
        evaluate_table(table, tmp_path, split="train")
