"""What is written by ourselves has the bytes that DVC writes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from dvc.utils.serialize import dumps_yaml

from crivo.repository import yaml_text as written
from crivo.repository.yaml_text import yaml_text

SCALARS = [
    *(None, True, False, 0, -7, 10**20, 0.5, -0.0, 1e-5, 1e22, float("inf"), 2.50, 0.1 + 0.2),
    *("", "a", "src/train.py", "2013-09-01", "true", "No", "~", "1e5", "12", "0x1", "0o7", "1_000"),
    *("€", "é", "日本", "a b", " a", "a ", "a: b", "a #b", "- a", "?", "%x", "@x", "it's", '"x"'),
    *("a\nb", "a\n", "\t", "null", "Null", ".5", ".inf", "1:30", "=", "<<", "a, b", "[a]", "{a}"),
    *("d41d8cd98f00b204e9800998ecf8427e", "d41d8cd98f00b204e9800998ecf8427e.dir"),
    *("12345678901234567890123456789012", "1e345678901234567890123456789012", "e" * 32),
    *("x" * 100, "word " * 30, "python src/train.py --much " * 4, "\u2028", "\ufeff", "\x85"),
    *([], {}, ["a"], {"a": 1}),
]
KEYS = ["a", "params.yaml", "models.boosting", "data/raw", "true", "1", "", "a b", "é", "k" * 130]


def nested(random_: random.Random, depth: int) -> Any:
    kind = random_.random()
    if depth == 0 or kind < 0.5:
        return random_.choice(SCALARS)
    values = [nested(random_, depth - 1) for _ in range(random_.randrange(4))]
    return values if kind < 0.7 else dict(zip(KEYS[:4], values, strict=False))


@pytest.mark.parametrize("value", SCALARS, ids=repr)
def test_a_value_is_written_as_dvc_writes_it(value: object) -> None:
    values = {"a": {"b": value, "c": [value, {"d": value}]}, "z": value}
    assert yaml_text(values) == dumps_yaml(values)


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_written_as_dvc_writes_it(key: str) -> None:
    values = {"a": {key: 1}, "c": [{key: ["x"]}]}
    assert yaml_text(values) == dumps_yaml(values)


@pytest.mark.parametrize("seed", range(60))
def test_nested_values_are_written_as_dvc_writes_them(seed: int) -> None:
    values = {f"k{place}": nested(random.Random(f"{seed} {place}"), 4) for place in range(3)}
    assert yaml_text(values) == dumps_yaml(values)


def test_what_stands_twice_is_written_as_dvc_writes_it() -> None:
    shared = {"max_iter": 3}
    values = {"train": shared, "evaluate": {"models": shared}}
    assert "*" in yaml_text(values)
    assert yaml_text(values) == dumps_yaml(values)


def test_an_entry_of_a_stage_is_written_without_dvc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else all this gains nothing."""
    md5 = "0cc175b9c0f1b6a831c399e269772661"
    entry = {
        "cmd": "python src/train.py",
        "deps": [{"path": "data/a.parquet", "hash": "md5", "md5": md5, "size": 12}],
        "params": {"params.yaml": {"seed": 13, "models.prior": {}, "evaluate.period": None}},
    }
    expected = dumps_yaml(entry)
    yaml_text(entry)  # single values such as `{}` are asked for once
    monkeypatch.setattr("dvc.utils.serialize.dumps_yaml", None)
    assert yaml_text(entry) == expected
    assert written.WIDTH < 80
