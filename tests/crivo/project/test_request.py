"""What the user says decides the settings; the rest follows from the table."""

import pytest

from crivo.core.schema import Column, Schema, Task
from crivo.project.request import (
    Request,
    pipeline_settings,
    raised_limit,
    splitter_settings,
)


def schema(task: Task) -> Schema:
    columns = (
        Column(name="key", role="id", type="text"),
        Column(name="y", role="target", type="number"),
    )
    classes = () if task == "regression" else (0, 1)
    return Schema(task=task, classes=classes, positive=1 if classes else None, columns=columns)


@pytest.mark.parametrize(
    ("options", "splitter"),
    [
        ({}, "at_random"),
        ({"group": "g"}, "by_group"),
        ({"time": "t"}, "by_time"),
        ({"time": "t", "group": "g"}, "by_time"),
    ],
)
def test_the_splitter_suits_the_roles(options: dict[str, str], splitter: str) -> None:
    assert Request("y", **options).splitter == splitter


@pytest.mark.parametrize(
    ("task", "rows", "rarest", "exact"),
    [
        ("binary", 999, 400, True),
        ("binary", 5000, 2000, False),
        ("binary", 5000, 99, True),
        ("regression", 5000, 1, False),
        ("regression", 200, 1, True),
    ],
)
def test_a_random_split_is_exact_where_rows_are_few(
    task: Task, rows: int, rarest: int, exact: bool
) -> None:
    assert splitter_settings("at_random", schema(task), rows, rarest)["exact"] is exact


def test_a_split_by_time_is_by_shares() -> None:
    settings = splitter_settings("by_time", schema("binary"), 10, 5)
    assert settings == {"valid_from": 0.6, "test_from": 0.8}


def test_how_to_read_stays_and_roles_are_new() -> None:
    known = {"delimiter": ";", "decimal": None, "target": "old", "drop": ["old"], "time": "old"}
    settings = Request("y", drop=("a",)).table(known)
    assert settings["delimiter"] == ";"
    assert "decimal" not in settings
    assert (settings["target"], settings["drop"], settings["time"]) == ("y", ["a"], None)


@pytest.mark.parametrize(("training_rows", "rounds", "trees"), [(499, 0, 50), (500, 20, None)])
def test_boosting_stops_early_where_rows_are_enough_to_watch(
    training_rows: int, rounds: int, trees: int | None
) -> None:
    settings = pipeline_settings(Request("y"), {}, {}, training_rows)
    assert settings["models.boosting.early_stopping"] == rounds
    assert settings.get("models.boosting.max_iter") == trees


def test_groups_are_the_clusters_of_the_evaluation() -> None:
    assert pipeline_settings(Request("y", group="g"), {}, {}, 0)["evaluate.cluster"] == "g"
    assert pipeline_settings(Request("y"), {}, {}, 0)["evaluate.cluster"] is None


@pytest.mark.parametrize(("bad", "limit"), [(0, 0.05), (5, 0.05), (6, 0.06), (61, 0.61)])
def test_the_quarantine_limit_is_raised_no_further_than_needed(bad: int, limit: float) -> None:
    assert raised_limit(0.05, bad, 100) == limit
