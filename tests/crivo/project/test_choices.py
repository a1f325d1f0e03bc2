"""Each setting that changes is told with its reason, and none that stays."""

from crivo.project.choices import Choice, changes, table_choices
from crivo.project.request import Request

PARAMS = {
    "model": "linear",
    "prepare": {"quarantine_limit": 0.91},
    "evaluate": {"cluster": None, "slices": ["old"], "value": {"capacity": 0.1}},
    "models": {"boosting": {"max_iter": 50}},
    "splitters": {},
}


def test_each_change_is_told_with_the_old_value_and_the_reason() -> None:
    choices = [
        Choice({"models.boosting.max_iter": 200, "prepare.quarantine_limit": 0.05}, "shipped"),
        Choice({"evaluate.cluster": "day", "evaluate.slices": []}, "days are alike"),
        Choice({"model": "linear"}, "stays"),
    ]
    assert changes(choices, PARAMS) == [
        "models.boosting.max_iter: 200, was 50, prepare.quarantine_limit: 0.05, was 0.91 (shipped)",
        "evaluate.cluster: day, evaluate.slices: none, was old (days are alike)",
    ]


def test_a_new_project_has_no_settings_that_were_there_before() -> None:
    choices = [*table_choices(Request("y"), {"target": "y"}), Choice({"model": "forest"}, "best")]
    assert changes(choices, PARAMS, new=True) == [
        "dataset: table, featurizer: tabular (a table of your own)",
        "datasets.table.target: y (from the options and the file)",
        "model: forest (best)",
    ]


def test_a_setting_without_a_place_is_not_told() -> None:
    assert changes([Choice({"models.boosting.rounds": 3}, "x")], PARAMS) == []
    assert changes([Choice({"splitters.by_time.valid_from": 0.6}, "x")], PARAMS) == [
        "splitters.by_time.valid_from: 0.6 (x)"
    ]
