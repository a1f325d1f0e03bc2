"""params.yaml is edited as DVC would: comments stay, and no other line changes."""

from pathlib import Path

import pytest
from dvc.utils.serialize import dumps_yaml
from ruamel.yaml import YAML
from tests.crivo.settings import SETTINGS as WHOLE

from crivo.core.params import PARAMS_FILE
from crivo.core.problems import Problems
from crivo.project.choices import merged, split_choice, table_choices
from crivo.project.params_file import edited_params
from crivo.project.request import Request

COMMENTS = [line.strip() for line in WHOLE.splitlines() if line.strip()[:1] == "#"]
REQUEST = Request("the target", group="g", id=("i",), drop=("a", "b"), time="t")
SHARES = {"valid_from": 0.6, "test_from": 0.8}
SETTINGS = merged(
    [*table_choices(REQUEST, REQUEST.table({})), split_choice(REQUEST.splitter, SHARES, "")]
)


@pytest.fixture
def params(tmp_path: Path) -> Path:
    """Give the settings file of a made-up project."""
    (tmp_path / PARAMS_FILE).write_text(WHOLE, encoding="utf-8")
    return tmp_path / PARAMS_FILE


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def test_settings_are_written_and_everything_else_stays(params: Path) -> None:
    text = edited_params(params, {"seed": 14, "datasets.table.target": "y", "limits": {}})
    old, new = lines(WHOLE), lines(text)
    assert set(new) - set(old) == {"seed: 14", "    target: y", "limits: {}"}
    values = YAML(typ="safe").load(text)
    assert values["datasets"]["table"]["target"] == "y"


def test_comments_between_the_settings_stay(params: Path) -> None:
    text = edited_params(params, SETTINGS)
    gone = [comment for comment in COMMENTS if comment not in text]
    # Those inside of what was emptied for the new table go with it.
    kept = ["Columns that name the row", "Cells that mean missing", "Your own file", "Columns to"]
    assert not [comment for comment in gone if any(words in comment for words in kept)]
    assert "# What must hold of a result" in text


def test_the_form_is_the_one_that_dvc_writes(params: Path) -> None:
    text = edited_params(params, SETTINGS)
    assert dumps_yaml(YAML().load(text)) == text


def test_sections_that_are_missing_are_added_where_they_are_needed(tmp_path: Path) -> None:
    values = YAML(typ="safe").load(WHOLE)
    for section in ("datasets", "splitters"):
        values[section].pop({"datasets": "table", "splitters": "by_time"}[section])
    del values["evaluate"]["slices"]
    path = tmp_path / "params.yaml"
    path.write_text(dumps_yaml(values | {"splitter": "at_random"}))
    new = YAML(typ="safe").load(edited_params(path, SETTINGS))
    assert new["datasets"]["table"]["target"] == "the target"
    assert new["splitters"]["by_time"] == {"valid_from": 0.6, "test_from": 0.8}
    assert "slices" not in new["evaluate"]


def test_what_the_stages_would_refuse_is_not_written(params: Path) -> None:
    with pytest.raises(Problems, match=r"datasets\.table\.task: is 'ranking'"):
        edited_params(params, {"datasets.table.task": "ranking"})
