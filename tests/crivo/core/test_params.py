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


NEAR = "evaluate.value.capacty: unknown setting; did you mean `capacity`?"
# Settings that are wrong, what names them, and what is allowed.
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"sede": 1}, "sede: unknown setting; did you mean `seed`?", "seed"),
    ({"evaluate__value__capacty": 0.1}, NEAR, "capacity"),
    ({"evaluate__split": "train"}, "evaluate.split: is 'train'", "'valid' or 'test'"),
    ({"evaluate__value__true_positive": 1e308}, "true_positive: is 1e+308", "1000000000000000"),
    ({"seed": 2**32}, "seed: is 4294967296", "less than 4294967296"),
    ({"prepare__quarantine_limit": 1.5}, "quarantine_limit: is 1.5", "less than or equal to 1"),
    ({"limits__roc_auc": {}}, "limits.roc_auc: is {}", "needs at_least or at_most"),
    ({"limits__roc_auc__at_lest": 0.5}, "roc_auc.at_lest", "did you mean `at_least`?"),
    ({"models__boosting__learning_rte": 1}, "did you mean `learning_rate`?", "max_iter"),
    ({"models__boosting__learning_rate": 1e39}, "learning_rate: is 1e+39", "equal to 1000000"),
    ({"models__boosting__learning_rate": 0.0}, "learning_rate: is 0.0", "greater than 0"),
    ({"models__forest__trees": 10**30}, "models.forest.trees: is 1000", "less than 2147483648"),
    ({"model": "bosting"}, "did you mean `boosting`?", "forest"),
    ({"models__xyz": {}}, "models.xyz: there is no model 'xyz'", "boosting"),
    ({"model": "linear"}, "models.linear: this section is missing", "`{}`"),
    ({"models__boosting": {1.5: 1.0}}, "models.boosting.1.5: unknown setting", "max_iter"),
]


@pytest.mark.parametrize(("changes", "key", "allowed"), WRONG)
def test_a_wrong_setting_is_named_with_what_is_allowed(
    changes: dict[str, Any], key: str, allowed: str
) -> None:
    message = complaint(**changes)
    assert key in message
    assert allowed in message


@pytest.mark.parametrize("section", ["limits", "models", "evaluate"])
def test_an_empty_section_is_refused_with_the_way_out(section: str) -> None:
    told = complaint(**{section: None}).splitlines()
    way_out = "write its settings below it, or `{}` if it needs none"
    assert f"params.yaml: {section}: this section is empty; {way_out}" in told


def test_all_problems_are_told_at_once_and_each_once() -> None:
    message = complaint(seed=-1, models__prior__x=1)
    assert message.count("params.yaml:") == 2


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
        "splitters.by_time.test_from: is a bare date.*quotes: '2013-11-01'",
    ),
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
