"""The tables of the plots of scores and targets; `explanations` adds those that explain them."""

from __future__ import annotations

import pandas as pd

from crivo.core.evaluation import Context
from crivo.evaluation.curves import COLUMNS
from crivo.evaluation.tasks import evaluation_of


def plots(predictions: pd.DataFrame, context: Context) -> dict[str, pd.DataFrame]:
    """Return the plots' tables by name.

    A plot that the task doesn't have is a table without rows, so that `dvc.yaml` can name the
    files once.
    """
    tables = {name: pd.DataFrame(columns=columns) for name, columns in COLUMNS.items()}
    return tables | evaluation_of(context).curves(predictions)
