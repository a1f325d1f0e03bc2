"""Fitted models whose files are spoilt."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from crivo.modelfile.canonical import dump_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.arange(60) % 3
KINDS = pd.DataFrame({"a": X[:, 0], "kind": pd.Categorical(RNG.choice(list("pqr"), 60))})

MODELS = {
    "tree": lambda: DecisionTreeClassifier(random_state=0).fit(X, Y),
    "forest": lambda: RandomForestClassifier(2, random_state=0).fit(X, Y),
    "gradient boosting": lambda: GradientBoostingClassifier(n_estimators=2).fit(X, Y),
    "categories": lambda: HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2).fit(
        KINDS, KINDS["kind"] == "p"
    ),
    "neighbours": lambda: KNeighborsClassifier(2, leaf_size=5, algorithm="kd_tree").fit(X, Y),
}


@cache
def stored(name: str) -> bytes:
    return dump_model(MODELS[name]())
