"""A project is started on one's own table and runs."""

import json
from pathlib import Path

import pytest
from tests.crivo.project.started import User, start_on_table

from crivo.core.parsing import parse_yaml

# A project runs its pipeline and some of its tests; minutes on a busy machine.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(900)]


def result_of(sample: Path) -> tuple[dict[str, float], str]:
    folder = sample / "metrics/evaluation"
    return json.loads((folder / "metrics.json").read_text()), (folder / "report.md").read_text()


def test_three_classes_go_all_the_way_and_what_gives_them_away_is_said(user: User) -> None:
    project = start_on_table(user, "multiclass", "wine")
    sample = project.project_tests("row_has_a_prediction or rows_are_scored")
    metrics, report = result_of(sample)
    assert "L006,error,grape," in (sample / "metrics/features/findings.csv").read_text()
    assert "> L006, grape: gives `y` exactly wherever known" in report
    assert "| L006 | error | grape |" in report
    assert metrics["accuracy"] > 0.9
    assert metrics["balanced_accuracy"] > metrics["baseline_balanced_accuracy"]
    assert metrics["baseline_balanced_accuracy"] == pytest.approx(1 / 3)


def test_the_settings_that_suit_a_table_keep_the_blocks_contracts(user: User) -> None:
    """Of blocks whose settings nobody changed, the repository's own tests ask."""
    project = start_on_table(user, "binary", "orders", count=2_000)
    settings = parse_yaml((project.folder / "params.yaml").read_text())
    assert settings["models"]["boosting"]["early_stopping"] == 20
    unchanged = "forest or lightgbm or xgboost or sklearn or standard or notebook or flights"
    project.project_tests(f"not ({unchanged})")


def test_a_quantity_split_by_time_goes_all_the_way_without_a_false_alarm(user: User) -> None:
    project = start_on_table(user, "regression", "diabetes", "--time", "visit")
    # The blocks' contracts are those of the repository, whose own tests ask for each.
    sample = project.project_tests("test_pipeline or test_evaluation or standard or prior")
    assert project.run("git", "status", "--porcelain") == ""
    metrics, report = result_of(sample)
    assert "| R003 |" not in report
    assert metrics["r2"] > 0.25
    assert metrics["rmse"] < metrics["baseline_rmse"]
