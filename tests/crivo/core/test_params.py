"""Settings: what is wrong is named, with its value and what is allowed."""

from pathlib import Path
from typing import Any

import pytest

from crivo.core.errors import CrivoError
from crivo.core.params import check_params, read_params, read_yaml
from crivo.core.problems import Problems

ROOT = Path(__file__).parents[3]


def settings(**changes: Any) -> dict[str, Any]:
    """Return valid settings of small blocks, changed by dotted keys (`models__boosting__x`)."""
    values: dict[str, Any] = {
        "seed": 1,
        "dataset": "table",
        "splitter": "by_time",
        "featurizer": "tabular",
        "model": "boosting",
        "baseline": "prior",
        "evaluator": "standard",
        "prepare": {},
        "train": {},
        "evaluate": {},
        "datasets": {"table": {}},
        "splitters": {"by_time": {}},
        "featurizers": {"tabular": {}},
        "models": {"boosting": {}, "forest": {}, "prior": {}},
        "evaluators": {"standard": {}},
    }
    for path, value in changes.items():
        *sections, key = path.split("__")
        target = values
        for section in sections:
            target = target.setdefault(section, {})
        target[key] = value
    return values


def complaint(**changes: Any) -> str:
    with pytest.raises(Problems) as error:
        check_params(settings(**changes))
    return str(error.value)


def test_the_projects_own_settings_are_valid() -> None:
    assert read_params(ROOT / "params.yaml").model in {"boosting"}


def test_a_chosen_block_comes_with_its_settings() -> None:
    params = check_params(settings(models__boosting__max_iter=7))
    assert params.block("model").max_iter == 7


@pytest.mark.parametrize(
    ("changes", "key", "allowed"),
    [
        ({"colour": "red"}, "colour: unknown setting", "seed"),
        ({"sede": 1}, "did you mean `seed`?", "seed"),
        ({"evaluate__splitt": "test"}, "evaluate.splitt: unknown setting", "`split`"),
        (
            {"evaluate__split": "train"},
            "evaluate.split: is 'train'",
            "'valid' or 'test'",
        ),
        ({"seed": "thirteen"}, "seed: is 'thirteen'", "valid integer"),
        ({"seed": True}, "seed: is True", "valid integer"),
        ({"seed": -1}, "seed: is -1", "greater than or equal to 0"),
        ({"seed": 2**32}, "seed: is 4294967296", "less than 4294967296"),
        (
            {"models__forest__min_samples_leaf": 10**30},
            "models.forest.min_samples_leaf: is 1000",
            "less than 2147483648",
        ),
        (
            {"evaluate__value": {"true_positive": 1e308}},
            "evaluate.value.true_positive: is 1e+308",
            "less than or equal to 1000000000000000",
        ),
        ({"a.b": 1}, "a.b: unknown setting", "seed"),
        ({"evaluate__value": {"x.y": 1}}, "evaluate.value.x.y: unknown setting", "settings here"),
        (
            {"prepare__quarantine_limit": 1.5},
            "quarantine_limit: is 1.5",
            "less than or equal to 1",
        ),
        (
            {"models__boosting__learning_rate": 0},
            "models.boosting.learning_rate: is 0",
            "than 0",
        ),
        (
            {"models__boosting__learning_rte": 1},
            "did you mean `learning_rate`?",
            "max_iter",
        ),
        (
            {"models__boosting__max_iter": "1e3"},
            "models.boosting.max_iter: is '1e3'",
            "integer",
        ),
        ({"model": "bosting"}, "did you mean `boosting`?", "forest"),
        ({"models__xyz": {}}, "models.xyz: there is no model 'xyz'", "boosting"),
        ({"model": "linear"}, "models.linear: this section is missing", "`{}`"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_allowed(
    changes: dict[str, Any], key: str, allowed: str
) -> None:
    message = complaint(**changes)
    assert key in message
    assert allowed in message


@pytest.mark.parametrize("section", ["search", "limits", "models", "evaluate", "checks"])
def test_an_empty_section_is_refused_with_the_way_out(section: str) -> None:
    told = complaint(**{section: None}).splitlines()
    way_out = "write its settings below it, or `{}` where it needs none"
    assert f"params.yaml: {section}: this section is empty; {way_out}" in told


def test_a_block_that_is_not_in_use_is_checked_too() -> None:
    assert "models.forest.trees: is 'many'" in complaint(models__forest__trees="many")


def test_all_problems_are_told_at_once_and_each_once() -> None:
    message = complaint(seed=-1, models__prior__x=1)
    assert message.count("params.yaml:") == 2


def test_a_missing_key_is_named() -> None:
    values = settings()
    del values["seed"]
    with pytest.raises(Problems, match="seed: this setting is missing"):
        check_params(values)


def test_numbers_are_read_as_dvc_reads_them(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("a: 1e-5\nb: on\nc: 010\n")
    assert read_yaml(tmp_path / "params.yaml") == {"a": 1e-5, "b": "on", "c": 10}


def test_a_bare_date_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("splitters:\n  by_time:\n    test_from: 2013-11-01\n")
    with pytest.raises(Problems, match="splitters.by_time.test_from: .*quotes: '2013-11-01'"):
        read_params(tmp_path / "params.yaml")


@pytest.mark.parametrize("text", ["a: [1", "a: 1\na: 2", "\tb: 1", "a: 'x", "a: 2013-02-30"])
def test_broken_yaml_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(CrivoError, match="isn't valid YAML"):
        read_params(tmp_path / "params.yaml")


BOMB = "a0: &a0 [1]\n" + "".join(f"a{i}: &a{i} [{f'*a{i - 1},' * 9}]\n" for i in range(1, 12))
ENDLESS = {
    "an alias": ("a: &a\n  b: *a", "is nested more than 100 deep"),
    "nesting": ("a: " + "[" * 200_000, "is nested more than 100 deep"),
    "a chain": ("a0: &a0 []\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 200)),
                "is nested more than 100 deep"),
    "a bomb": (BOMB, "holds more than 100,000 values, aliases [(][*][)] written out"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "why"), ENDLESS.values(), ids=ENDLESS)
def test_settings_without_an_end_are_one_sentence(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(CrivoError, match=why):
        read_params(tmp_path / "params.yaml")


@pytest.mark.parametrize("text", ["", "just words", "- 1"])
def test_a_file_without_settings_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "params.yaml").write_text(text)
    with pytest.raises(CrivoError, match="expected settings"):
        read_params(tmp_path / "params.yaml")


def test_no_file_says_where_to_run(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match="project's folder"):
        read_params(tmp_path / "params.yaml")


def test_an_unknown_setting_of_a_nested_section_is_named_with_those_there_are() -> None:
    words = complaint(evaluate__value__capacty=0.1)
    assert "evaluate.value.capacty: unknown setting; did you mean `capacity`?" in words
    assert "did you mean `at_least`?" in complaint(limits__roc_auc__at_lest=0.5)


def test_a_limit_limits_something() -> None:
    assert "limits.roc_auc: is {}, but it needs at_least or at_most" in complaint(
        limits__roc_auc={}
    )
    assert check_params(settings(limits__roc_auc={"at_least": 0.7})).limits["roc_auc"].at_least


def test_without_gains_nothing_is_worth_anything() -> None:
    assert not check_params(settings()).evaluate.value.gains
    assert check_params(settings(evaluate__value__true_positive=3)).evaluate.value.gains


LISTED = {"bytes": "!!binary aGk=", "a set": "!!set {a, b}", "a date in a list": "[2013-02-01]"}


@pytest.mark.parametrize("value", LISTED.values(), ids=LISTED)
def test_a_value_of_a_kind_that_no_setting_has_is_named(tmp_path: Path, value: str) -> None:
    (tmp_path / "params.yaml").write_text(f"models:\n  linear:\n    C: {value}\n")
    with pytest.raises(Problems, match=r"models.linear.C: is (of type (bytes|set)|a bare date)"):
        read_params(tmp_path / "params.yaml")


@pytest.mark.parametrize(
    "section", ["datasets", "splitters", "featurizers", "models", "evaluators"]
)
@pytest.mark.parametrize("keys", [{1.5: 1.0}, {1.5: {"at_least": 1}}, {None: 1}, {(1, 2): 3}])
def test_keys_that_are_no_text_are_refused_in_a_sentence(section: str, keys: dict) -> None:
    values = settings()
    for changed in (keys, {next(iter(values[section])): keys}):
        with pytest.raises(Problems, match=section):
            check_params(values | {section: values[section] | changed})


@pytest.mark.parametrize("key", ["boosting__learning_rate", "linear__C", "lightgbm__reg_lambda"])
@pytest.mark.parametrize("value", [1e39, 1e-45, float("nan")])
def test_a_number_that_32_bits_do_not_hold_is_refused(key: str, value: float) -> None:
    assert f"{key.replace('__', '.')}: is {value!r}, but it " in complaint(
        **{f"models__{key}": value}
    )


def test_a_long_value_is_cut_in_the_sentence() -> None:
    assert len(complaint(seed=[[0] * 9999] * 9)) < 400
