"""Fitted models whose files are spoilt, and how a spoilt file is refused."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from crivo.core.errors import CrivoError
from crivo.core.modelfile import dump_model, parse_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.arange(60) % 3
KINDS = pd.DataFrame({"a": X[:, 0], "kind": pd.Categorical(RNG.choice(list("pqr"), 60))})

MODELS = {
    "tree": lambda: DecisionTreeClassifier(random_state=0).fit(X, Y),
    "forest": lambda: RandomForestClassifier(2, random_state=0).fit(X, Y),
    "gradient boosting": lambda: GradientBoostingClassifier(n_estimators=2).fit(X, Y),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2).fit(X, Y),
    "categories": lambda: HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2).fit(
        KINDS, KINDS["kind"] == "p"
    ),
    "neighbours": lambda: KNeighborsClassifier(2, leaf_size=5, algorithm="kd_tree").fit(X, Y),
}


@cache
def stored(name: str) -> bytes:
    return dump_model(MODELS[name]())


def refused(data: bytes, words: str) -> None:
    """Check that a file is refused in one sentence."""
    with pytest.raises(CrivoError) as error:
        parse_model(data, "model.skops")
    assert str(error.value).startswith("model.skops isn't a readable model file (")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def spoilt(model: Any, **state: Any) -> Any:
    """Return a model with other state."""
    vars(model).update(state)
    return model
