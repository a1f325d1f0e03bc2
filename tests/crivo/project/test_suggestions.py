"""Ids, groups and weights are recognised by their names and by what they hold."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.schema import Column, Schema
from crivo.preparation.tables.columns import type_of
from crivo.project.suggestions import suggestions

COUNT = 300
RNG = np.random.default_rng(0)
PEOPLE = np.arange(COUNT) // 5  # sixty, five rows each


def said(splitter: str = "at_random", **columns: object) -> list[str]:
    rows = pd.DataFrame({"size": RNG.normal(size=COUNT)} | columns)
    features = [Column(name=n, role="feature", type=type_of(rows[n])) for n in rows]
    ends = (
        Column(name="key", role="id", type="text"),
        Column(name="y", role="target", type="number"),
    )
    return list(suggestions(rows, Schema(task="regression", columns=(*ends, *features)), splitter))


@pytest.mark.parametrize(
    "name", ["weight", "sample_weight", "fnlwgt", "finalWeight", "wt", "w8 weight"]
)
def test_a_weight_is_known_by_its_name(name: str) -> None:
    for values in (RNG.integers(1, 99, COUNT), RNG.uniform(0.1, 9.0, COUNT)):
        (line,) = said(**{name: values})
        assert line.startswith(f"{name} is named like a weight")
        assert "--weight" in line


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("order_id", RNG.choice(10**9, COUNT, replace=False)),
        ("invoiceNo", RNG.choice(10**9, COUNT, replace=False)),
        ("a", [f"n{i}" for i in range(COUNT)]),
        ("a", np.arange(COUNT) + 1000),
        ("a", [f"{i:032x}" for i in range(COUNT)]),
    ],
)
def test_an_id_differs_in_every_row(name: str, values: object) -> None:
    (line,) = said(**{name: values})
    assert line == f"{name} differs in every row: if it names the row, give it as --id or --drop."


@pytest.mark.parametrize("name", ["shop_id", "patient", "customerId", "Household", "user id"])
@pytest.mark.parametrize("text", [True, False])
def test_a_group_is_known_by_its_name(name: str, text: bool) -> None:
    (line,) = said(**{name: [f"s{i}" for i in PEOPLE] if text else PEOPLE * 7})
    assert line.startswith(f"{name} repeats (60 different values)")
    assert "--group" in line


@pytest.mark.parametrize("splitter", ["at_random", "by_time"])
def test_a_group_is_known_by_what_its_rows_agree_in(splitter: str) -> None:
    age, town = RNG.integers(20, 60, 60), RNG.choice(list("abcd"), 60)
    lines = said(splitter, who=[f"n{i}" for i in PEOPLE], age=age[PEOPLE], town=town[PEOPLE])
    assert len(lines) == 1
    assert "who repeats (60 different values; rows of one agree in age and town)" in lines[0]


def test_a_measurement_is_no_group_though_its_rows_agree() -> None:
    age, town = RNG.integers(20, 60, 60), RNG.choice(list("abcd"), 60)
    assert said("at_random", area=PEOPLE * 7, age=age[PEOPLE], town=town[PEOPLE]) == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("price", RNG.choice(10**9, COUNT, replace=False)),
        ("age", RNG.integers(18, 90, COUNT)),
        ("city", RNG.choice([f"c{i}" for i in range(40)], COUNT)),
        ("weightless", RNG.normal(size=COUNT)),
        ("weight", RNG.normal(size=COUNT)),
        ("paid", RNG.integers(0, 99, COUNT)),
        ("idle", RNG.integers(0, 99, COUNT)),
    ],
)
def test_a_feature_brings_no_word(name: str, values: object) -> None:
    assert said(**{name: values}) == []
