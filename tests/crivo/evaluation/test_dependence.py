"""Clusters that don't follow the time or the group of the rows are said to be too optimistic."""

import numpy as np
import pandas as pd
import pytest

from blocks.evaluators.standard import Standard
from crivo.core.blocks import Context
from crivo.core.params import EvaluateSettings
from crivo.core.predictions import build_predictions
from crivo.core.schema import Role
from crivo.evaluation.evaluate import Result
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.thresholds import OperatingPoint
from tests.crivo.schemas import few_columns

WARNING = "evaluate.cluster ignores this"
ROWS = pd.DataFrame(
    {
        "key": [f"r{i}" for i in range(240)],
        "y": np.tile([0.0, 1.0, 3.0], 80),
        "when": np.repeat(pd.date_range("2013-01-01", periods=60), 4),
        "year": np.repeat(np.arange(2001, 2013), 20),
        "patient": [f"p{i % 30}" for i in range(240)],
        "shop": [f"s{i % 4}" for i in range(240)],
        "site": [f"t{i % 3}" for i in range(240)],
        "row": [f"g{i}" for i in range(240)],
    }
)


def warned(roles: dict[str, Role], clusters: dict[str, str]) -> list[str]:
    """Return the warning of an evaluation of rows with such roles, if there is one."""
    others = dict.fromkeys(ROWS.columns.drop(["key", "y"]), "info")
    schema = few_columns(**others | roles)
    settings = EvaluateSettings(**clusters)
    prediction = ROWS["y"].to_numpy() + np.arange(240) % 7
    table = build_predictions(ROWS, schema, prediction, settings=settings)
    context, evaluator = Context.of(schema), Standard()
    measured = evaluator.evaluate(table, context)
    known = table, context, measured, OperatingPoint(), vars(evaluator), Predicting(schema)
    result = Result(*known, dataset="visits", model="made up", rows=ROWS[::-1])
    return [line for line in result.warnings if WARNING in line]


@pytest.mark.parametrize(
    ("roles", "clusters", "advice"),
    [
        ({}, {}, ""),
        ({"when": "time"}, {"cluster": "when"}, ""),
        ({"when": "time"}, {"cluster": "when", "period": "week"}, ""),
        ({"year": "time"}, {"cluster": "year"}, ""),
        ({"patient": "group"}, {"cluster": "patient"}, ""),
        ({"when": "time", "patient": "group"}, {"cluster": "patient"}, ""),
        ({"row": "group"}, {}, ""),
        ({"when": "time"}, {}, "a time, evaluate.period or evaluate.block."),
        ({"when": "time"}, {"cluster": "shop"}, "Rows with the same `when` may be similar"),
        ({"patient": "group"}, {}, "Set evaluate.cluster to such a column"),
        ({"site": "group"}, {}, "Rows with the same `site` may be similar"),
        ({"when": "time", "patient": "group"}, {}, "Rows with the same `patient` and `when`"),
    ],
)
def test_a_time_or_a_group_that_clusters_do_not_follow_is_said(
    roles: dict[str, Role], clusters: dict[str, str], advice: str
) -> None:
    assert [advice in line for line in warned(roles, clusters)] == [True] * bool(advice)
