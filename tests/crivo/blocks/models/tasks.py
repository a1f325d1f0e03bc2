"""Small tables and targets of every task, as the stages hand them to a model."""

from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Training
from crivo.core.registry import make_block
from crivo.core.schema import Task

COUNT = 240


def inputs() -> pd.DataFrame:
    """Return numbers with gaps, a category with a level that no row has, and one constant."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size [m]": rng.normal(size=COUNT),
            "weight": rng.normal(size=COUNT),
            "kind": pd.Categorical(rng.choice(list("xyz"), COUNT), categories=list("vxyz")),
            "same": 1.0,
        }
    )
    table.loc[::7, "weight"] = np.nan
    table.loc[::5, "kind"] = np.nan
    return table


INPUTS = inputs()
SIGNAL = INPUTS["size [m]"] + 2.0 * (INPUTS["kind"] == "x")
GRADES = pd.cut(SIGNAL, [-np.inf, 0, 1, np.inf], labels=["low", "middle", "high"])

TARGETS: dict[str, tuple[Task, pd.Series]] = {
    "text": ("binary", pd.Series(np.where(SIGNAL > 0, "yes", "no"), dtype="str")),
    "whole number": ("binary", (SIGNAL > 0).astype("int64")),
    "truth": ("binary", SIGNAL > 0),
    "three texts": ("multiclass", GRADES.astype("str")),
    "three numbers": ("multiclass", GRADES.cat.codes.astype("int64") * 2 + 3),
    "quantity": ("regression", SIGNAL),
}

# Rows as they may come later: a level that no training row had, and gaps elsewhere.
LATER = INPUTS.head(12).assign(
    kind=pd.Categorical(["v", None] * 6, categories=list("vxyz")), **{"size [m]": np.nan}
)
WATCH = np.arange(COUNT) % 5 == 0


def fitted(name: str, target: str, log: Any = print, **settings: Any) -> Any:
    """Return a model fitted on the inputs and one of the targets."""
    task, values = TARGETS[target]
    model = make_block("model", name, settings)
    return model.fit(model.build(task, 3), INPUTS, values, Training(WATCH, log))


def skill(model: Any, target: str) -> float:
    """Return the share of right classes, or the correlation with a quantity."""
    task, values = TARGETS[target]
    found = np.asarray(model.predict(INPUTS))
    if task == "regression":
        return float(np.corrcoef(found, values)[0, 1])
    return float(np.mean(found == values.to_numpy()))
