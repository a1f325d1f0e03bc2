"""Settings: what is wrong is named, with its value and what is allowed."""

from pathlib import Path
from typing import Any

import pytest
from tests.crivo.experiments.repository import settings
from tests.crivo.settings import SMALL

from crivo.core.errors import CrivoError
from crivo.core.params import check_params, read_params
from crivo.core.parsing import parse_yaml
from crivo.core.problems import Problems
from crivo.repository.overrides import with_changes

VALID: dict[str, Any] = parse_yaml(SMALL)


def complaint(**changes: Any) -> str:
    with pytest.raises(Problems) as error:
        check_params(settings(VALID, **changes))
    return str(error.value)


def test_a_chosen_block_comes_with_its_settings() -> None:
    params = check_params(settings(VALID, models__boosting__max_iter=7))
    assert params.block("model").max_iter == 7


# Settings that are wrong, and what is said of them.
WRONG = (Path(__file__).with_name("wrong.txt").read_text(encoding="utf-8")).strip().split("\n\n")


@pytest.mark.parametrize("case", WRONG)
def test_all_wrong_settings_are_named_with_what_is_allowed(case: str) -> None:
    changes, _, told = case.partition("\n")
    assert complaint(**parse_yaml(changes)) == told


def test_a_setting_that_is_missing_is_named_and_a_long_value_is_cut() -> None:
    values = settings(VALID, seed=[[0] * 9999] * 9)
    with pytest.raises(Problems) as error:
        check_params(values)
    assert len(str(error.value)) < 400
    del values["seed"]
    with pytest.raises(Problems, match="seed: this setting is missing"):
        check_params(values)


# What a file holds, and what is said of it.
FILES = {
    "a bare date": (
        "splitters: {by_time: {test_from: 2013-11-01}}",
        "params.yaml: splitters.by_time.test_from: is a bare date.*quotes: '2013-11-01'",
    ),
    "a date in a list": ("a: [2013-11-01]", "params.yaml: a: is a bare date"),
    "bytes": ("models: {linear: {C: !!binary aGk=}}", "models.linear.C: is of type bytes"),
    "broken": ("a: [1", "isn't valid YAML"),
    "empty": ("", "expected settings"),
}


@pytest.mark.parametrize(("text", "why"), FILES.values(), ids=FILES)
def test_a_file_without_settings_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(CrivoError, match=why):
        read_params(tmp_path / "params.yaml")


@pytest.mark.parametrize("changes", [[], ["model=linear"]])
def test_settings_of_a_trial_are_not_read_from_a_list(tmp_path: Path, changes: list[str]) -> None:
    (tmp_path / "params.yaml").write_text("- a\n")
    with pytest.raises(CrivoError, match="expected settings"):
        with_changes(tmp_path / "params.yaml", changes)


def test_no_file_says_where_to_run(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match="project's folder"):
        read_params(tmp_path / "params.yaml")
