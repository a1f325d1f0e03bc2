"""A forest grows on all cores and predicts on one."""

import pytest

from crivo.core.problems import Problems
from crivo.core.registry import make_block

from .tasks import fitted


def test_it_predicts_on_one_core_whatever_the_machine_has() -> None:
    assert fitted("forest", "text", trees=3)[-1].n_jobs == 1


def test_it_has_as_many_trees_as_asked_for() -> None:
    assert len(fitted("forest", "quantity", trees=3)[-1].estimators_) == 3


@pytest.mark.parametrize("settings", [{"trees": 0}, {"max_features": 1.5}, {"max_samples": 0.0}])
def test_wrong_settings_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(Problems, match=f"forest.{next(iter(settings))}"):
        make_block("model", "forest", settings)
