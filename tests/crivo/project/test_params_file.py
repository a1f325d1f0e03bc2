"""params.yaml is edited as DVC would: comments stay, no other line changes, and each is told."""

from pathlib import Path

import pytest
from dvc.utils.serialize import dumps_yaml
from ruamel.yaml import YAML
from tests.crivo.settings import SETTINGS as WHOLE

from crivo.core.params import PARAMS_FILE
from crivo.project.choices import RESET, Choice, Request, changes
from crivo.project.params_file import edited_params

REQUEST = Request("the target", group="g", id=("i",), drop=("a", "b"), time="t")
SHARES = {"valid_from": 0.6, "test_from": 0.8}
ROLES = {f"datasets.table.{name}": value for name, value in REQUEST.table({}).items()}
SPLIT = {f"splitters.by_time.{name}": share for name, share in SHARES.items()}
SETTINGS = RESET | {"dataset": "table", "splitter": "by_time"} | ROLES | SPLIT


@pytest.fixture
def params(tmp_path: Path) -> Path:
    """Give the settings file of a made-up project."""
    (tmp_path / PARAMS_FILE).write_text(WHOLE, encoding="utf-8")
    return tmp_path / PARAMS_FILE


def lines(text: str) -> set[str]:
    return {line for line in text.splitlines() if line.strip()}


def test_settings_are_written_in_dvc_s_form_and_everything_else_stays(params: Path) -> None:
    text = edited_params(params, {"seed": 14, "datasets.table.target": "y", "limits": {}})
    assert lines(text) - lines(WHOLE) == {"seed: 14", "    target: y", "limits: {}"}
    assert YAML(typ="safe").load(text)["datasets"]["table"]["target"] == "y"
    text = edited_params(params, SETTINGS)
    for comment in ("# Your own file", "# Columns that identify the", "# The limits that a"):
        assert comment in text
    assert dumps_yaml(YAML().load(text)) == text


def test_sections_that_are_missing_are_added_where_they_are_needed(tmp_path: Path) -> None:
    values = YAML(typ="safe").load(WHOLE)
    del values["datasets"]["table"], values["splitters"]["by_time"], values["evaluate"]["slices"]
    path = tmp_path / "params.yaml"
    path.write_text(dumps_yaml(values | {"splitter": "at_random"}))
    new = YAML(typ="safe").load(edited_params(path, SETTINGS))
    assert new["datasets"]["table"]["target"] == "the target"
    assert new["splitters"]["by_time"] == SHARES
    assert "slices" not in new["evaluate"]


BEFORE = {
    "model": "linear",
    "prepare": {"quarantine_limit": 0.91},
    "evaluate": {"cluster": None, "slices": ["old"], "value": {"capacity": 0.1}},
    "models": {"boosting": {"max_iter": 50}},
    "splitters": {},
}


def test_each_change_is_told_with_the_reason() -> None:
    choices = [
        Choice({"splitters.by_time.valid_from": 0.5}, ""),
        Choice({"models.boosting.max_iter": 200, "prepare.quarantine_limit": 0.05}, "shipped"),
        Choice({"evaluate.cluster": "day", "evaluate.slices": []}, "days are alike"),
        Choice({"model": "linear", "models.boosting.rounds": 3}, "stays, or has no place"),
        Choice({"splitters.by_time.valid_from": 0.6}, "x"),
    ]
    assert changes(choices, BEFORE) == [
        "models.boosting.max_iter: 200, prepare.quarantine_limit: 0.05 (shipped)",
        "evaluate.cluster: day (days are alike)",
        "splitters.by_time.valid_from: 0.6 (x)",
    ]
