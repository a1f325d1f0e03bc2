"""What `crivo init` starts from is what a new project comes with."""

from pathlib import Path

import pytest

from crivo.core.params import read_yaml
from crivo.project.shipped import EMPTY, SHIPPED

PARAMS = read_yaml(Path(__file__).parents[3] / "params.yaml")


def at(key: str) -> object:
    value: object = PARAMS
    for name in key.split("."):
        assert isinstance(value, dict)
        value = value.get(name)
    return value


@pytest.mark.parametrize("key", SHIPPED)
def test_each_setting_is_that_of_params_yaml(key: str) -> None:
    assert at(key) == SHIPPED[key]


def test_every_setting_that_a_table_may_have_asked_for_is_known() -> None:
    """A new setting of what `crivo init` chooses must be reset, too."""
    chosen = ("models.boosting", "splitters.by_group", "splitters.by_time_and_group",
              "splitters.at_random", "featurizers.tabular", "prepare", "train",
              "evaluators.standard")  # fmt: skip
    known = {
        f"{section}.{name}"
        for section in chosen
        for name in at(section)  # type: ignore[attr-defined]
    }
    assert known <= SHIPPED.keys() | EMPTY.keys()
